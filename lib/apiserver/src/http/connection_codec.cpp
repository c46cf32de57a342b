#include "http/connection_codec.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/client/detail/incoming_head.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <optional>

namespace kubecoro::apiserver {

namespace http = boost::beast::http;

struct request_reader::parser
{
    std::optional<detail::incoming_head> received;
    std::optional<http::request_parser<http::string_body>> message;
    state where = state::idle;
    bool continue_told = false;
    http_request head;
    /// Bytes consumed since the head: the body and its framing.
    std::size_t used_for_body = 0;

    void reset(http_limits limits)
    {
        received.emplace(limits.head, limits.headers);
        message.emplace();
        // Only for what frames a body: the head has been checked.
        message->header_limit(static_cast<std::uint32_t>(limits.head) + 1);
        message->body_limit(limits.body);
        where = state::idle;
        continue_told = false;
        head = {};
        used_for_body = 0;
    }

    /// Passes the head on to the parser of the body.
    [[nodiscard]] state begin_body()
    {
        const auto& text = received->text();
        boost::system::error_code error;
        message->put(boost::asio::const_buffer(text.data(), text.size()), error);
        if (error == http::error::body_limit) return state::body_too_large;
        if (!message->is_header_done()) return state::malformed;
        head.method = received->method();
        head.target = received->target();
        for (const auto& [name, value] : received->fields()) {
            std::string lower(name);
            for (char& c : lower)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            head.headers.emplace_back(std::move(lower), std::string(value));
        }
        return message->is_done() ? state::complete : state::body;
    }

    std::size_t feed_head(std::string_view bytes)
    {
        using arrived = detail::incoming_head::state;
        const auto used = received->feed(bytes);
        switch (received->where()) {
        case arrived::idle:
            break;
        case arrived::partial:
            where = state::head;
            break;
        case arrived::complete:
            where = begin_body();
            break;
        case arrived::unknown_coding:
            where = state::unknown_coding;
            break;
        case arrived::too_large:
            where = state::head_too_large;
            break;
        default:
            where = state::malformed;
        }
        return used;
    }

    /// Chunks of one byte need five bytes of framing; the factor leaves room for chunk extensions.
    [[nodiscard]] bool mostly_framing(http_limits limits) const
    {
        const std::size_t body = message->get().body().size();
        return used_for_body > limits.head + 16 * body;
    }
};

request_reader::request_reader(http_limits limits) : limits_(limits), parser_(std::make_unique<parser>())
{
    parser_->reset(limits_);
}
request_reader::~request_reader() = default;
request_reader::request_reader(request_reader&&) noexcept = default;

request_reader::state request_reader::where() const noexcept { return parser_->where; }
const http_request& request_reader::head() const noexcept { return parser_->head; }
std::size_t request_reader::body_size() const noexcept { return parser_->message->get().body().size(); }

std::size_t request_reader::feed(std::string_view bytes)
{
    auto& p = *parser_;
    std::size_t used = p.where == state::idle || p.where == state::head ? p.feed_head(bytes) : 0;
    while (used < bytes.size() && p.where == state::body) {
        boost::system::error_code error;
        const std::size_t n =
            p.message->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
        used += n;
        p.used_for_body += n;
        if (p.message->is_done()) p.where = state::complete;
        if (!error) continue;
        if (error == http::error::need_more) break;
        p.where = error == http::error::body_limit ? state::body_too_large : state::malformed;
    }
    if (p.where == state::body && (bytes.size() - used > limits_.head || p.mostly_framing(limits_)))
        p.where = state::malformed;
    return used;
}

bool request_reader::wants_continue() noexcept
{
    auto& p = *parser_;
    if (p.where != state::body || p.continue_told) return false;
    p.continue_told = true;
    return p.received->reads_chunks() && boost::beast::iequals(p.head.header("expect"), "100-continue");
}

request_reader::message request_reader::take()
{
    auto& m = parser_->message->get();
    message out;
    out.content = std::move(parser_->head);
    out.content.body = std::move(m.body());
    out.keep_alive = parser_->received->keep_alive();
    out.may_chunk = parser_->received->reads_chunks();
    parser_->reset(limits_);
    return out;
}

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

std::string format_head(const http_response& head, framing frame, std::size_t length, bool keep_alive, wall_time now)
{
    const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(head.status)));
    std::string out = "HTTP/1.1 " + std::to_string(head.status) + " " + std::string(reason) + "\r\n";
    for (const auto& [name, value] : head.headers) {
        out += name;
        out += ": ";
        for (const char c : value) out += c == '\r' || c == '\n' ? ' ' : c;
        out += "\r\n";
    }
    out += "Date: " + http_date(now) + "\r\n";
    if (frame == framing::length && head.status != 204 && head.status != 304)
        out += "Content-Length: " + std::to_string(length) + "\r\n";
    if (frame == framing::chunked) out += "Transfer-Encoding: chunked\r\n";
    if (!keep_alive) out += "Connection: close\r\n";
    out += "\r\n";
    return out;
}

void append_chunk(std::string& out, std::string_view data)
{
    KUBECORO_EXPECT(!data.empty());
    std::array<char, 20> size{};
    const auto end = std::to_chars(size.data(), size.data() + size.size(), data.size(), 16);
    out.append(size.data(), end.ptr);
    out += "\r\n";
    out += data;
    out += "\r\n";
}

http_response refuse(request_reader::state why, http_limits limits)
{
    http_response out;
    switch (why) {
    case request_reader::state::body_too_large:
        out.status = 413;
        out.headers.emplace_back("Content-Type", "application/json");
        out.body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
                   R"("Request entity too large: limit is )" +
                   std::to_string(limits.body) + R"(","reason":"RequestEntityTooLarge","code":413})" + "\n";
        return out;
    case request_reader::state::head_too_large:
        out.status = 431;
        out.body = "431 Request Header Fields Too Large";
        break;
    case request_reader::state::unknown_coding:
        out.status = 501;
        out.body = "501 Not Implemented: Unsupported transfer encoding";
        break;
    default:
        out.status = 400;
        out.body = "400 Bad Request";
    }
    out.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    return out;
}

http_response too_many_requests()
{
    http_response out;
    out.status = 429;
    out.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Retry-After", "1"}};
    out.body = "Too many requests, please try again later.\n";
    return out;
}

} // namespace kubecoro::apiserver
