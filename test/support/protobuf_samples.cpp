#include <kubecoro/test/protobuf_samples.hpp>
#include <kubecoro/test/sample_file.hpp>

#include <cstdlib>
#include <stdexcept>

namespace kubecoro::test {
namespace {

std::string default_path()
{
    const auto* named = std::getenv("KUBECORO_PROTOBUF_SAMPLES");
    return named ? named : KUBECORO_SAMPLES;
}

} // namespace

protobuf_samples::protobuf_samples() : protobuf_samples(default_path()) {}

protobuf_samples::protobuf_samples(const std::string& path) : _bytes(read_samples(path)) {}

std::string_view protobuf_samples::record()
{
    const std::string_view rest = std::string_view(_bytes).substr(_at);
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4 && i < rest.size(); ++i)
        size |= std::size_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    if (rest.size() < 4 || rest.size() - 4 < size) throw std::runtime_error("samples: the last record is cut");
    _at += 4 + size;
    return rest.substr(4, size);
}

std::optional<protobuf_sample> protobuf_samples::next()
{
    if (_at == _bytes.size()) return std::nullopt;
    const auto name = record();
    const auto protobuf = record();
    return protobuf_sample{name, protobuf, record()};
}

} // namespace kubecoro::test
