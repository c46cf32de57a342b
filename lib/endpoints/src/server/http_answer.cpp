#include "server/http_answer.hpp"

#include "http/gzip.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

namespace kubecoro::detail {
namespace {

std::string_view reason_of(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 413:
        return "Content Too Large";
    case 421:
        return "Misdirected Request";
    case 431:
        return "Request Header Fields Too Large";
    case 503:
        return "Service Unavailable";
    case 505:
        return "HTTP Version Not Supported";
    default:
        return "Internal Server Error";
    }
}

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

http_answer plain_answer(int status, std::string text)
{
    http_answer out;
    out.status = status;
    out.body = std::move(text);
    return out;
}

std::string head_of(const http_answer& answer, bool keep_alive, wall_time now)
{
    std::string out = "HTTP/1.1 " + std::to_string(answer.status) + " ";
    out += reason_of(answer.status);
    out += "\r\nContent-Type: ";
    out += answer.content_type;
    if (answer.parts)
        out += "\r\nTransfer-Encoding: chunked";
    else if (!answer.endless)
        out += "\r\nContent-Length: " + std::to_string(body_of(answer).size());
    out += "\r\nDate: " + http_date(now);
    out += "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n";
    const bool has_policy = std::any_of(answer.headers.begin(), answer.headers.end(),
                                        [](const auto& h) { return h.first == "Content-Security-Policy"; });
    if (!has_policy) out += "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";
    for (const auto& [name, value] : answer.headers) {
        out += name;
        out += ": " + value + "\r\n";
    }
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

void mark_compressed(http_answer& answer)
{
    answer.compressed = true;
    answer.headers.emplace_back("Content-Encoding", "gzip");
    answer.headers.emplace_back("Vary", "Accept-Encoding");
}

void compress(http_answer& answer, std::string_view accept_encoding)
{
    if (answer.compressed || !is_worth_compressing(answer.body) || !accepts_gzip(accept_encoding)) return;
    answer.body = gzip(answer.body);
    mark_compressed(answer);
}

rendered_page::copy rendered_page::get(time_source& time, bool compressed, const std::function<std::string()>& make)
{
    auto out = current(time, compressed, make);
    if (budget_.has_time(time.now())) {
        plain_.reset();
        compressed_.reset();
    }
    return out;
}

rendered_page::copy rendered_page::current(time_source& time, bool compressed, const std::function<std::string()>& make)
{
    const time_point begin = time.now();
    const bool repeated = plain_ && !budget_.has_time(begin) && begin - begun_ < oldest;
    const render_budget::cost counted(budget_, time, begin);
    if (!repeated) {
        plain_ = std::make_shared<const std::string>(make());
        begun_ = begin;
        compressed_.reset();
    }
    if (compressed && !compressed_ && is_worth_compressing(*plain_))
        compressed_ = std::make_shared<const std::string>(gzip(*plain_));
    copy out{.body = compressed && compressed_ ? compressed_ : plain_, .repeated = repeated};
    out.age = begin - begun_;
    out.compressed = out.body == compressed_;
    return out;
}

} // namespace kubecoro::detail
