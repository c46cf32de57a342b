#include "http/http_parser.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace kubecoro {

std::string_view answer_head::header(std::string_view name) const noexcept
{
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return {};
}

} // namespace kubecoro

namespace kubecoro::detail {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

namespace {

/// The first byte of an alert record.
constexpr char tls_alert = 0x15;

/** Beast of Boost 1.92 has a function of its own for the fields after a chunked body, which is pure. Earlier versions never call
    this one. */
class parser_with_trailers : public http::basic_parser<false>
{
    void on_trailer_field_impl(http::field field, string_view name, string_view value, error_code& ec)
    {
        on_field_impl(field, name, value, ec);
    }
};

} // namespace

class http_parser::machine final : public parser_with_trailers
{
public:
    machine(bool answer_to_head, std::size_t max_head_bytes) : max_head_bytes_(max_head_bytes)
    {
        // Beast's own limit covers only input that it parses more than once; here the sum of the fields is counted.
        header_limit(static_cast<std::uint32_t>(max_head_bytes));
        body_limit(boost::none);
        skip(answer_to_head);
    }

    void begin_feed() noexcept { piece_ = {}; }
    [[nodiscard]] std::string_view body() const noexcept { return piece_; }

    answer_head head_;
    std::string reason_;

private:
    void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int code, string_view words, int, error_code&) override
    {
        head_.status = code;
        reason_.assign(words.data(), words.size());
    }
    void on_field_impl(http::field, string_view name, string_view value, error_code& ec) override
    {
        head_bytes_ += name.size() + value.size() + 4;
        if (head_bytes_ > max_head_bytes_) {
            ec = http::error::header_limit;
            return;
        }
        if (is_header_done()) return;
        std::string lower(name);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        head_.headers.emplace_back(std::move(lower), std::string(value));
    }
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view body, error_code&) override { return add(body); }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override { return add(body); }
    void on_finish_impl(error_code&) override {}

    // A non-eager parser returns after each piece, which is passed on without a copy.
    std::size_t add(string_view body) noexcept
    {
        piece_ = {body.data(), body.size()};
        return body.size();
    }

    std::size_t max_head_bytes_;
    std::size_t head_bytes_ = 0;
    std::string_view piece_;
};

http_parser::http_parser(bool answer_to_head, http_limits limits) : answer_to_head_(answer_to_head), limits_(limits)
{
    restart();
}
http_parser::~http_parser() = default;
http_parser::http_parser(http_parser&&) noexcept = default;
http_parser& http_parser::operator=(http_parser&&) noexcept = default;

void http_parser::restart() { machine_ = std::make_unique<machine>(answer_to_head_, limits_.max_head_bytes); }

result<http_parser::progress> http_parser::feed(std::string_view bytes)
{
    if (failed_) return *failed_;
    // No HTTP response begins with this byte. Every TLS server that receives plain HTTP sends it, unless it stays
    // silent.
    if (!got_some_ && !bytes.empty() && bytes.front() == tls_alert)
        return *(failed_ = failure(cond::corrupt, "the server responds in TLS: its address must begin with https://"));
    progress out;
    machine_->begin_feed();
    while (out.consumed < bytes.size() && !machine_->is_done() && machine_->body().empty()) {
        got_some_ = true;
        error_code ec;
        const auto rest = bytes.substr(out.consumed);
        const std::size_t n = machine_->put(boost::asio::const_buffer(rest.data(), rest.size()), ec);
        out.consumed += n;
        if (ec && ec != http::error::need_more) {
            failed_ = failure(cond::corrupt, "the response is not valid HTTP: " + ec.message());
            break;
        }
        // Beast gives 1xx, 204 and 304 no body: an interim response is complete with its head.
        const int status = machine_->head_.status;
        if (machine_->is_header_done() && status >= 100 && status < 200) {
            if (status == 101 || ++interim_ > limits_.max_interim)
                return *(failed_ = failure(cond::corrupt, "the server sends endless interim responses or switches "
                                                          "protocols"));
            restart();
            continue;
        }
        if (ec == http::error::need_more || n == 0) break;
    }
    // The bytes before the broken part are valid: the failure waits for the next call.
    if (failed_ && out.consumed == 0) return *failed_;
    out.body = machine_->body();
    return out;
}

result<> http_parser::end_of_input()
{
    if (failed_) return *failed_;
    if (done()) return {};
    if (!machine_->got_some()) return failure(cond::unreachable, "the server closed the connection without a response");
    error_code ec;
    machine_->put_eof(ec);
    if (ec) return failure(cond::unreachable, "the server closed the connection in the middle of its response");
    return {};
}

bool http_parser::got_some() const noexcept { return got_some_; }
bool http_parser::head_done() const noexcept { return machine_->is_header_done(); }
bool http_parser::done() const noexcept { return machine_->is_done(); }
bool http_parser::keep_alive() const { return machine_->is_done() && machine_->keep_alive(); }
const answer_head& http_parser::head() const noexcept { return machine_->head_; }
const std::string& http_parser::reason() const noexcept { return machine_->reason_; }

} // namespace kubecoro::detail
