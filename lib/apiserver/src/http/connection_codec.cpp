#include "http/connection_codec.hpp"

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

namespace {

/// The target in origin form: a client that takes the server for a proxy sends the absolute form, which servers accept.
std::string origin_form(std::string_view target)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!boost::beast::iequals(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
        return target.starts_with('/') ? std::string(target) : "/" + std::string(target);
    }
    return std::string(target);
}

} // namespace

struct request_reader::parser
{
    std::optional<http::request_parser<http::string_body>> message;
    state where = state::idle;
    bool continue_told = false;
    http_request head;
    /// Bytes consumed since the head: the body and its framing.
    std::size_t used_for_body = 0;

    void reset(http_limits limits)
    {
        message.emplace();
        message->header_limit(static_cast<std::uint32_t>(limits.head));
        message->body_limit(limits.body);
        where = state::idle;
        continue_told = false;
        head = {};
        used_for_body = 0;
    }

    void keep_head()
    {
        const auto& m = message->get();
        head.method.assign(m.method_string());
        head.target = origin_form(m.target());
        for (const auto& field : m) {
            std::string name(field.name_string());
            for (char& c : name)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            head.headers.emplace_back(std::move(name), std::string(field.value()));
        }
    }

    /// Whether the message has a transfer coding other than chunked: its body has no known end, and would be read as
    /// requests.
    [[nodiscard]] bool has_unknown_coding() const
    {
        return message->get().count(http::field::transfer_encoding) > 0 && !message->chunked();
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
    std::size_t used = 0;
    while (used < bytes.size() && (p.where == state::idle || p.where == state::head || p.where == state::body)) {
        if (p.where == state::idle) p.where = state::head;
        boost::system::error_code error;
        const std::size_t n =
            p.message->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
        used += n;
        if (p.where == state::body) p.used_for_body += n;
        if (p.where == state::head && p.message->is_header_done()) {
            p.where = state::body;
            p.keep_head();
            if (p.has_unknown_coding()) {
                p.where = state::malformed;
                break;
            }
        }
        if (p.message->is_done()) p.where = state::complete;
        if (!error) continue;
        if (error == http::error::need_more) break;
        p.where = error == http::error::header_limit ? state::head_too_large
                  : error == http::error::body_limit ? state::body_too_large
                                                     : state::malformed;
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
    const auto& m = p.message->get();
    return m.version() >= 11 && boost::beast::iequals(m[http::field::expect], "100-continue");
}

request_reader::message request_reader::take()
{
    auto& m = parser_->message->get();
    message out;
    out.content = std::move(parser_->head);
    out.content.body = std::move(m.body());
    out.keep_alive = m.keep_alive();
    out.may_chunk = m.version() >= 11;
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
