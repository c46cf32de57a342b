#include <kubecoro/test/protobuf_samples.hpp>

#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace kubecoro::test {
namespace {

std::string default_path()
{
    const auto* named = std::getenv("KUBECORO_PROTOBUF_SAMPLES");
    return named ? named : KUBECORO_SAMPLES;
}

std::string decompressed(const std::string& packed)
{
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
    std::string out;
    std::string piece(ZSTD_DStreamOutSize(), '\0');
    ZSTD_inBuffer from{packed.data(), packed.size(), 0};
    for (std::size_t left = 1; left != 0;) {
        ZSTD_outBuffer to{piece.data(), piece.size(), 0};
        left = ZSTD_decompressStream(stream.get(), &to, &from);
        if (ZSTD_isError(left)) throw std::runtime_error(std::string("samples: ") + ZSTD_getErrorName(left));
        if (left != 0 && to.pos == 0 && from.pos == from.size) throw std::runtime_error("samples: the file is cut");
        out.append(piece, 0, to.pos);
    }
    return out;
}

} // namespace

protobuf_samples::protobuf_samples() : protobuf_samples(default_path()) {}

protobuf_samples::protobuf_samples(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("samples: cannot read " + path);
    _bytes.assign(std::istreambuf_iterator<char>(in), {});
    if (_bytes.starts_with("\x28\xb5\x2f\xfd")) _bytes = decompressed(_bytes);
}

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
