// Reads the samples of the protobuf form, and checks that there are samples of everything.
#include "protobuf_samples.hpp"

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>

namespace kubecoro::test {
namespace {

std::string default_path()
{
    const auto* named = std::getenv("KUBECORO_PROTOBUF_SAMPLES");
    return named ? named : KUBECORO_TEST_DATA "/protobuf_samples.zst";
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

using namespace kubecoro;

TEST_CASE("there are protobuf samples of every kind", "[protobuf]")
{
    namespace schemas = detail::builtin_schemas;
    test::protobuf_samples samples;
    std::set<std::string, std::less<>> kinds;
    std::size_t frames = 0;
    while (const auto sample = samples.next()) {
        INFO(sample->name);
        const bool frame = sample->name.starts_with("watch ");
        frames += frame;
        const auto envelope = sample->protobuf.find(std::string_view("k8s\0", 4));
        REQUIRE((frame ? envelope > 4 && envelope < 30 : envelope == 0));
        REQUIRE(boost::json::parse(sample->json).is_object());
        kinds.emplace(sample->name.substr(0, sample->name.rfind(' ')));
    }
    CHECK(frames > 100);
    for (const auto& kind : schemas::kinds()) {
        const auto name = std::string(schemas::text(kind.api_version)) + ' ' + std::string(schemas::text(kind.kind));
        INFO(name);
        CHECK((kinds.contains("object " + name) || kinds.contains("list " + name)) == (name != "v1 WatchEvent"));
    }
}
