#include <kubecoro/http/detail/request_reader.hpp>

#include <kubecoro/client/detail/incoming_head.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <optional>

namespace kubecoro::detail {

namespace http = boost::beast::http;

std::string_view incoming_request::header(std::string_view name) const noexcept
{
    const auto at = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
    return at == headers.end() ? std::string_view() : std::string_view(at->second);
}

struct request_reader::parser
{
    explicit parser(const request_limits& limits) : received(limits.head, limits.headers) {}

    incoming_head received;
    /// Only for chunks: the head has been checked.
    std::optional<http::request_parser<http::string_body>> message = {};
    bool continue_told = false;
    /// With as much of a body without chunks as has arrived.
    incoming_request head = {};
    /// Bytes of chunks consumed: the body and its framing.
    std::size_t used_for_body = 0;
    /// The most bytes that the body may have.
    std::size_t most = 0;

    [[nodiscard]] std::size_t body_size() const { return message ? message->get().body().size() : head.body.size(); }

    void take_head()
    {
        head.method = received.method();
        head.target = received.target();
        head.host = received.host();
        head.keep_alive = received.keep_alive();
        head.may_chunk = received.reads_chunks();
        for (const auto& [name, value] : received.fields()) {
            std::string lower(name);
            for (char& c : lower)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            head.headers.emplace_back(std::move(lower), std::string(value));
        }
    }

    /// Prepares for the body.
    [[nodiscard]] state begin_body(const request_limits& limits)
    {
        take_head();
        if (!received.chunked() && received.content_length() == 0) return state::complete;
        if (limits.body == 0) return state::has_body;
        if (received.content_length() > limits.body) return state::body_too_large;
        most = limits.body;
        if (!received.chunked()) {
            head.body.reserve(received.content_length());
            return state::body;
        }
        message.emplace();
        message->header_limit(static_cast<std::uint32_t>(limits.head) + 1);
        message->body_limit(limits.body);
        const auto& text = received.text();
        boost::system::error_code error;
        message->put(boost::asio::const_buffer(text.data(), text.size()), error);
        if (!message->is_header_done()) return state::malformed;
        return message->is_done() ? state::complete : state::body;
    }

    /// Takes what is there of a body without chunks. @return the number of bytes.
    [[nodiscard]] std::size_t take_counted(std::string_view bytes)
    {
        const auto part = bytes.substr(0, received.content_length() - head.body.size());
        head.body += part;
        return part.size();
    }

    [[nodiscard]] state after_head(const request_limits& limits)
    {
        switch (received.where()) {
        case incoming_head::state::idle:
            return state::idle;
        case incoming_head::state::partial:
            return state::head;
        case incoming_head::state::complete:
            return begin_body(limits);
        case incoming_head::state::unknown_coding:
            return limits.body == 0 ? state::has_body : state::unknown_coding;
        case incoming_head::state::too_large:
            return state::head_too_large;
        default:
            return state::malformed;
        }
    }

    /// Chunks of one byte need five bytes of framing; the factor leaves room for chunk extensions.
    [[nodiscard]] bool mostly_framing(const request_limits& limits) const
    {
        return used_for_body > limits.head + 16 * body_size();
    }
};

request_reader::request_reader(const request_limits& limits) noexcept : limits_(limits) {}
request_reader::~request_reader() = default;
request_reader::request_reader(request_reader&&) noexcept = default;

const incoming_request& request_reader::head() const noexcept { return parser_->head; }
std::size_t request_reader::body_size() const noexcept { return parser_ ? parser_->body_size() : 0; }

std::size_t request_reader::feed(std::string_view bytes)
{
    if (bytes.empty()) return 0;
    if (!parser_) parser_ = std::make_unique<parser>(limits_);
    auto& p = *parser_;
    std::size_t used = 0;
    if (where_ == state::idle || where_ == state::head) {
        used = p.received.feed(bytes);
        where_ = p.after_head(limits_);
    }
    if (where_ == state::body && !p.message) {
        used += p.take_counted(bytes.substr(used));
        if (p.body_size() == p.received.content_length()) where_ = state::complete;
    }
    while (used < bytes.size() && where_ == state::body) {
        boost::system::error_code error;
        const std::size_t n =
            p.message->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
        used += n;
        p.used_for_body += n;
        if (p.message->is_done()) where_ = state::complete;
        if (p.body_size() > p.most) where_ = state::body_too_large;
        if (!error) continue;
        if (error == http::error::need_more) break;
        where_ = error == http::error::body_limit ? state::body_too_large : state::malformed;
    }
    if (where_ == state::body && (bytes.size() - used > limits_.head || p.mostly_framing(limits_)))
        where_ = state::malformed;
    return used;
}

void request_reader::limit_body(std::size_t bytes) noexcept
{
    if (where_ != state::body) return;
    parser_->most = std::min(parser_->most, bytes);
    const auto announced = parser_->received.chunked() ? 0 : parser_->received.content_length();
    if (announced > bytes || parser_->body_size() > bytes) where_ = state::body_too_large;
}

bool request_reader::wants_continue() noexcept
{
    if (where_ != state::body || parser_->continue_told) return false;
    parser_->continue_told = true;
    return parser_->head.may_chunk && boost::beast::iequals(parser_->head.header("expect"), "100-continue");
}

incoming_request request_reader::take()
{
    incoming_request out = std::move(parser_->head);
    if (parser_->message) out.body = std::move(parser_->message->get().body());
    parser_.reset();
    where_ = state::idle;
    return out;
}

} // namespace kubecoro::detail
