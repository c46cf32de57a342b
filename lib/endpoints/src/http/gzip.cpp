#include "http/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace kubecoro::detail {
namespace {

/// A gzip wrapper around the largest window.
constexpr int gzip_window = 16 + MAX_WBITS;
/// About one packet: what is smaller is not worth the work.
constexpr std::size_t largest_plain_body = 1400;

/// Whether a token's weight is zero: "gzip;q=0.0".
bool weighs_nothing(std::string_view token)
{
    const auto at = token.find("q=");
    return at != token.npos && token.find_first_not_of("0.", at + 2) == token.npos;
}

} // namespace

bool is_worth_compressing(std::string_view body) noexcept { return body.size() > largest_plain_body; }

bool accepts_gzip(std::string_view accept_encoding)
{
    while (!accept_encoding.empty()) {
        auto token = accept_encoding.substr(0, accept_encoding.find(','));
        accept_encoding.remove_prefix(std::min(accept_encoding.size(), token.size() + 1));
        while (token.starts_with(' ')) token.remove_prefix(1);
        while (token.ends_with(' ')) token.remove_suffix(1);
        if (token == "gzip" || (token.starts_with("gzip;") && !weighs_nothing(token))) return true;
    }
    return false;
}

std::string gzip(std::string_view plain)
{
    z_stream z{};
    // zlib fails here only without memory: its version is that of the header, and the parameters are constants.
    if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
    const struct ending
    {
        z_stream& of;
        ~ending() { deflateEnd(&of); }
    } ends{z};
    std::string out(deflateBound(&z, static_cast<uLong>(plain.size())), '\0');
    // zlib never writes to its input.
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    z.avail_in = static_cast<uInt>(plain.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(out.size() - z.avail_out);
    return out;
}

} // namespace kubecoro::detail
