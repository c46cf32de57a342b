#include <kubecoro/test/sample_file.hpp>

#include <zstd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

namespace kubecoro::test {
namespace {

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

std::string read_samples(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("samples: cannot read " + path);
    std::string bytes(std::istreambuf_iterator<char>(in), {});
    return bytes.starts_with("\x28\xb5\x2f\xfd") ? decompressed(bytes) : bytes;
}

} // namespace kubecoro::test
