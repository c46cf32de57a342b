// Compresses with zlib, independently of the code under test.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace kubecoro::test {

/// One gzip member.
inline std::string gzip(std::string_view text, int level = 1)
{
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int code = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (code != Z_STREAM_END) throw std::runtime_error("deflate");
    return out;
}

/// The content of one gzip member.
inline std::string gunzipped(std::string_view member)
{
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::runtime_error("inflateInit2");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(member.data()));
    stream.avail_in = static_cast<uInt>(member.size());
    std::string out;
    int code = Z_OK;
    while (code == Z_OK) {
        const auto held = out.size();
        out.resize(held + 64 * 1024);
        stream.next_out = reinterpret_cast<Bytef*>(out.data() + held);
        stream.avail_out = 64 * 1024;
        code = inflate(&stream, Z_NO_FLUSH);
        out.resize(held + 64 * 1024 - stream.avail_out);
    }
    const auto rest = stream.avail_in;
    inflateEnd(&stream);
    if (code != Z_STREAM_END || rest != 0) throw std::runtime_error("inflate");
    return out;
}

} // namespace kubecoro::test
