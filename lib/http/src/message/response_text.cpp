#include <kubecoro/http/detail/response_text.hpp>

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace kubecoro::detail {
namespace {

std::string http_date(wall_time now)
{
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    const std::size_t n = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), n};
}

} // namespace

std::string format_head(int status, const header_list& headers, framing frame, std::size_t length, bool keep_alive,
                        wall_time now)
{
    namespace http = boost::beast::http;
    const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
    std::string out = "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason) + "\r\n";
    for (const auto& [name, value] : headers) {
        out += name;
        out += ": ";
        for (const char c : value) out += c == '\r' || c == '\n' ? ' ' : c;
        out += "\r\n";
    }
    out += "Date: " + http_date(now) + "\r\n";
    if (frame == framing::length && status != 204 && status != 304)
        out += "Content-Length: " + std::to_string(length) + "\r\n";
    if (frame == framing::chunked) out += "Transfer-Encoding: chunked\r\n";
    if (!keep_alive) out += "Connection: close\r\n";
    return out + "\r\n";
}

std::string_view frame_chunk(std::string& chunk, bool is_first)
{
    if (!std::string_view(chunk).starts_with(room_for_chunk_head)) chunk.insert(0, room_for_chunk_head);
    const auto size = chunk.size() - room_for_chunk_head.size();
    if (size == 0) return {};
    std::array<char, room_for_chunk_head.size()> head{'\r', '\n'};
    auto* end = std::to_chars(head.data() + 2, head.data() + head.size() - 2, size, 16).ptr;
    *end++ = '\r';
    *end++ = '\n';
    // The line end of the chunk before comes with this head: behind that chunk, it could double the memory of the text.
    const auto* const begin = head.data() + (is_first ? 2 : 0);
    const auto at = room_for_chunk_head.size() - static_cast<std::size_t>(end - begin);
    std::copy(begin, static_cast<const char*>(end), chunk.data() + at);
    return std::string_view(chunk).substr(at);
}

} // namespace kubecoro::detail
