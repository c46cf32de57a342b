#include "serve/hook_server.hpp"

#include "review/review_core.hpp"

#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

/// A server of a cluster keeps some; anybody may open others.
constexpr std::size_t most_connections = 256;
/// Bytes of bodies that are being received or reviewed.
constexpr std::size_t most_body_bytes = std::size_t{256} << 20;

connection_limits limits()
{
    connection_limits out;
    out.http.body = conversion_review.max_bytes;
    return out;
}

http_reply reply_of(webhook_reply made)
{
    http_reply out{.status = made.status};
    out.headers.emplace_back("Content-Type", std::move(made.content_type));
    out.body.own = std::move(made.body);
    return out;
}

} // namespace

/// Passes requests on to the table, and counts what never becomes one.
class hook_server::service final : public fair_service
{
public:
    service(std::shared_ptr<connection_table> connections, hook_table& table)
        : fair_service(std::move(connections), {.handshakes = 50, .requests = 0}), table_(table)
    {
    }

    asio::awaitable<std::optional<http_reply>> refuse_early(const incoming_request& head, connection& by) override
    {
        auto refused = table_.refuse_early({head.method, head.target, std::string(head.header("content-type")), {}});
        if (refused) co_return reply_of(*std::move(refused));
        by.limit_body(table_.most_bytes(head.target));
        co_return std::nullopt;
    }
    asio::awaitable<std::optional<http_reply>> answer(incoming_request& request, connection& by) override
    {
        webhook_call call{std::move(request.method), std::move(request.target),
                          std::string(request.header("content-type")), std::move(request.body)};
        auto made = co_await table_.answer(std::move(call));
        if (by.closed()) co_return std::nullopt;
        co_return reply_of(std::move(made));
    }
    http_reply refusal(request_reader::state why) override
    {
        auto out = fair_service::refusal(why);
        table_.note_refusal(why == request_reader::state::body_too_large ? "body" : "http", out.body.own);
        return out;
    }
    void on_accepted(bool admitted) override
    {
        if (!admitted) table_.note_refusal("connections", "there are too many connections");
    }
    void on_end(closing why, const std::string& failed) override
    {
        if (why == closing::past_deadline)
            table_.note_refusal("slow", "a client took too long");
        else if (why == closing::without_handshake)
            table_.note_refusal("connections", "more TLS handshakes are wanted than are made");
        else if (why == closing::for_another)
            table_.note_refusal("connections", "a slow client had to leave for another one");
        else if (why == closing::none && !failed.empty())
            table_.note_refusal("tls", failed);
    }
    byte_budget* bodies() noexcept override { return &bodies_; }

private:
    hook_table& table_;
    byte_budget bodies_{most_body_bytes};
};

hook_server::hook_server(settings with, hook_table& table)
    : with_(std::move(with)),
      connections_(std::make_shared<connection_table>(most_connections, with_.time, with_.strand)),
      server_({.title = "webhooks",
               .service = std::make_shared<service>(connections_, table),
               .table = connections_,
               .strand = with_.strand,
               .log = with_.log})
{
}

result<bound_address> hook_server::start()
{
    const auto at = parse_listen_address(with_.address);
    if (!at) return at.error();
    return server_.listen({.at = *at, .tls = with_.tls, .limits = limits()});
}

asio::awaitable<result<>> hook_server::stop()
{
    server_.request_stop();
    return server_.join();
}

} // namespace kubecoro::detail
