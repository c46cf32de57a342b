#include "http/server_engine.hpp"

#include <kubecoro/http/detail/connection.hpp>

namespace asio = boost::asio;

namespace kubecoro::apiserver {
namespace {

using detail::body_part;
using detail::body_source;
using detail::connection;
using detail::http_reply;
using detail::incoming_request;

/// Bytes of a long answer that are produced and sent at a time.
constexpr std::size_t part_of_body = 256 * 1024;

http_request request_of(const incoming_request& head, std::string body, const connection& by)
{
    http_request out{head.method, head.target, head.headers, std::move(body)};
    if (const auto& peer = by.peer()) out.user = user_info{peer->common_name, peer->organizations};
    return out;
}

/// The rest of a long answer: a client that does not read costs one part of memory.
class rest_source final : public body_source
{
public:
    explicit rest_source(std::unique_ptr<body_stream> rest) : rest_(std::move(rest)) {}
    asio::awaitable<step> next(body_part& into, connection&) override
    {
        co_return rest_->next(into.own, part_of_body) ? step::more : step::last;
    }

private:
    std::unique_ptr<body_stream> rest_;
};

class watch_source final : public body_source
{
public:
    explicit watch_source(std::unique_ptr<watch_handle> watch) : watch_(std::move(watch)) {}
    asio::awaitable<step> next(body_part& into, connection& by) override
    {
        for (std::size_t before = into.own.size(); into.own.size() == before;) {
            // The end of a client is not noticed behind so much input.
            if (waits_ && (by.input_ended() || by.flooded())) co_return step::broken;
            if (waits_ && !co_await by.wake().wait()) co_return step::broken;
            auto piece = co_await watch_->next();
            if (piece.cut) co_return step::broken;
            into.own += piece.bytes;
            if (piece.ended) co_return step::last;
            waits_ = !piece.more;
        }
        co_return step::more;
    }

private:
    std::unique_ptr<watch_handle> watch_;
    bool waits_ = false;
};

} // namespace

asio::awaitable<std::optional<http_reply>> front::refuse_early(const incoming_request& head, connection& by)
{
    auto refused = co_await engine_->refuse_early(request_of(head, {}, by));
    if (!refused) co_return std::nullopt;
    co_return http_reply{refused->status, std::move(refused->headers), {.own = std::move(refused->body)}};
}

asio::awaitable<std::optional<http_reply>> front::answer(incoming_request& request, connection& by)
{
    std::function<bool()> gone = [&by] { return by.input_ended(); };
    auto answered = co_await engine_->perform(request_of(request, std::move(request.body), by), by.wake(), gone);
    if (!answered) co_return std::nullopt;
    http_response& response = answered->response;
    http_reply out{response.status, std::move(response.headers), {.own = std::move(response.body)}};
    if (response.rest) out.source = std::make_unique<rest_source>(std::move(response.rest));
    if (!answered->watch) co_return out;
    out.live = true;
    out.source = std::make_unique<watch_source>(std::move(answered->watch));
    co_return out;
}

/// The texts are those of net/http and of kube-apiserver.
http_reply front::refusal(detail::request_reader::state why)
{
    auto out = http_service::refusal(why);
    if (out.status == 400) out.body.own = "400 Bad Request";
    if (out.status == 431) out.body.own = "431 Request Header Fields Too Large";
    if (out.status == 501) out.body.own = "501 Not Implemented: Unsupported transfer encoding";
    if (out.status != 413) return out;
    out.headers = {{"Content-Type", "application/json"}};
    out.body.own = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
                   R"("Request entity too large: limit is )" +
                   std::to_string(max_body_bytes) + R"(","reason":"RequestEntityTooLarge","code":413})" + "\n";
    return out;
}

void front::on_end(detail::closing, const std::string& failed)
{
    if (!failed.empty()) engine_->log().debug("TLS handshake with a client failed", {{"failure", failed}});
}

} // namespace kubecoro::apiserver
