#include "http/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

namespace kubecoro::detail {

namespace http = boost::beast::http;

struct request_reader::parser
{
    http::request_parser<http::empty_body> message;
};

request_reader::request_reader(std::size_t max_head_bytes) : limit_(max_head_bytes) {}
request_reader::~request_reader() = default;

// An idle connection costs no parser.
void request_reader::reset()
{
    parser_.reset();
    where_ = state::idle;
}

std::size_t request_reader::feed(std::string_view bytes)
{
    std::size_t used = 0;
    while (used < bytes.size() && (where_ == state::idle || where_ == state::head)) {
        if (!parser_) {
            parser_ = std::make_unique<parser>();
            parser_->message.header_limit(static_cast<std::uint32_t>(limit_));
        }
        where_ = state::head;
        boost::system::error_code error;
        auto& message = parser_->message;
        used += message.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
        if (error == http::error::need_more) break; // the parser consumes a head only as a whole
        const bool announced =
            message.is_header_done() && (message.chunked() || message.content_length().value_or(0) > 0);
        if (announced || error == http::error::body_limit)
            where_ = state::has_body;
        else if (error)
            where_ = error == http::error::header_limit ? state::head_too_large : state::malformed;
        else if (message.is_done())
            where_ = state::complete;
    }
    return used;
}

request_head request_reader::take()
{
    const auto& m = parser_->message.get();
    const auto field = [&m](http::field name) {
        const auto value = m[name];
        return std::string(value.data(), value.size());
    };
    request_head out{std::string(m.method_string()), std::string(m.target())};
    out.host = field(http::field::host);
    out.accept = field(http::field::accept);
    out.accept_encoding = field(http::field::accept_encoding);
    out.authorization = field(http::field::authorization);
    const auto site = m["Sec-Fetch-Site"];
    out.fetch_site.assign(site.data(), site.size());
    out.keep_alive = m.keep_alive();
    out.reads_chunks = m.version() >= 11;
    reset();
    return out;
}

} // namespace kubecoro::detail
