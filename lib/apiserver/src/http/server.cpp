#include "http/server_engine.hpp"
#include "objects/status_errors.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/http/detail/http_server.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::apiserver {

class embedded_server::sockets : public detail::http_server
{
public:
    sockets(const std::shared_ptr<server_engine>& engine, const detail::kept_executor& strand,
            std::shared_ptr<detail::connection_table> open)
        : http_server({.title = "embedded server",
                       .service = std::make_shared<front>(engine),
                       .table = open,
                       .strand = strand,
                       .connections = engine->executor(),
                       .log = engine->log()}),
          table(std::move(open))
    {
    }

    const std::shared_ptr<detail::connection_table> table;
};

embedded_server::embedded_server(asio::any_io_executor executor, server_options options)
{
    const std::size_t max_connections = options.max_connections;
    engine_ = std::make_shared<server_engine>(std::move(executor), std::move(options));
    const auto strand = detail::make_kept_strand(engine_->executor());
    auto table = std::make_shared<detail::connection_table>(max_connections, engine_->shared_time(), strand);
    sockets_ = std::make_unique<sockets>(engine_, strand, std::move(table));
}

embedded_server::~embedded_server() = default;

std::string embedded_server::endpoint::url() const
{
    const bool v6 = address.find(':') != std::string::npos;
    return (tls ? "https://" : "http://") + (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

// Asio throws when a cancelled coroutine continues; the operations return a failure instead. Each is a coroutine of its
// own, because catch_failure() must enclose all of its steps.
namespace {

using engine_ptr = std::shared_ptr<server_engine>;

/// Runs `f` on the engine's strand. @return its result.
template<class F>
asio::awaitable<std::invoke_result_t<F&, server_engine&>> on_strand(engine_ptr engine, F f)
{
    std::optional<std::invoke_result_t<F&, server_engine&>> out;
    co_await engine->on_strand([&] { out = f(*engine); });
    co_return std::move(*out);
}

asio::awaitable<result<std::string>> execute_as_admin(engine_ptr engine, std::string method, std::string target,
                                                      std::string body)
{
    http_request request{method, target};
    request.user = user_info{"system:admin", {"system:masters"}};
    request.headers.emplace_back("accept", "application/json");
    if (!body.empty())
        request.headers.emplace_back("content-type",
                                     method == "PATCH" ? "application/merge-patch+json" : "application/json");
    request.body = std::move(body);
    auto answered = co_await engine->perform(std::move(request), detail::wake_signal{});
    if (!answered) co_return answered.error().with_request(std::move(method), std::move(target));
    if (answered->watch)
        co_return failure{cond::invalid, "a watch needs a transport"}.with_request(std::move(method),
                                                                                   std::move(target));
    http_response& response = answered->response;
    response.complete_body();
    if (response.status < 300) co_return std::move(response.body);
    co_return failure_of_answer(response.status, response.body).with_request(std::move(method), std::move(target));
}

asio::awaitable<result<std::size_t>> load_text(engine_ptr engine, std::string text, std::string name)
{
    auto objects = load_manifests(text, name);
    if (!objects) co_return objects.error();
    co_return co_await on_strand(std::move(engine), [&objects](server_engine& e) {
        std::vector<std::string> warnings;
        auto loaded = apply_manifests(e.state(), std::move(*objects), e.time().wall_now(), &warnings);
        e.changed();
        for (const auto& warning : warnings)
            e.log().warning("a part of a manifest has no effect", {{"object", warning}});
        return loaded;
    });
}

/// An address of this machine for a server that listens on all of them.
std::string_view reachable(std::string_view address)
{
    if (address == "0.0.0.0") return "127.0.0.1";
    return address == "::" ? "::1" : address;
}

} // namespace

namespace {

/// Errors: misconfigured.
result<detail::listen_options> listening(const listener_options& options)
{
    detail::listen_options out;
    boost::system::error_code error;
    out.at.address = asio::ip::make_address(options.address, error);
    out.at.port = options.port;
    if (error)
        return failure{cond::misconfigured,
                       "listen on " + options.address + ":" + std::to_string(options.port) + ": not an IP address"};
    if (options.tls) {
        const auto tls = detail::make_server_tls(
            {options.tls->server_certificate, options.tls->server_key, options.tls->ca_certificate});
        if (!tls) return tls.error();
        out.tls = [tls = *tls] { return tls; };
    }
    // Impersonation has a header for each group.
    out.limits.http = {.headers = 1000, .body = max_body_bytes};
    out.limits.request_timeout = options.request_timeout;
    out.limits.idle_timeout = options.idle_timeout;
    out.limits.write_timeout = options.write_timeout;
    // As in kube-apiserver: longer bodies are chunked.
    out.limits.counted_body = 2048;
    out.limits.readers_give_way = false;
    return out;
}

} // namespace

void embedded_server::call_webhooks(detail::find_webhook find) { engine_->webhooks = std::move(find); }

asio::awaitable<result<embedded_server::endpoint>> embedded_server::listen(listener_options options)
{
    if (!engine_->executor()) co_return failure{cond::cancelled, "the context of the embedded server has ended"};
    KUBECORO_TRY(auto with, listening(options));
    KUBECORO_TRY(const auto bound, sockets_->listen(std::move(with)));
    embedded_server::endpoint out{bound.address.to_string(), bound.port, bound.tls};
    co_await engine_->on_strand([&] {
        if (options.tls) engine_->state().publish_root_ca(options.tls->ca_certificate);
        engine_->state().publish_endpoint(reachable(out.address), out.port, engine_->time().wall_now());
    });
    co_return out;
}

asio::awaitable<result<>> embedded_server::stop() { return catch_failure(stop_in_order()); }

asio::awaitable<result<>> embedded_server::stop_in_order()
{
    KUBECORO_TRY(co_await engine_->stop());
    sockets_->request_stop();
    co_return co_await sockets_->join();
}

asio::awaitable<result<std::string>> embedded_server::execute(std::string method, std::string target, std::string body)
{
    return catch_failure(execute_as_admin(engine_, std::move(method), std::move(target), std::move(body)));
}

asio::awaitable<result<std::size_t>> embedded_server::load(std::string text, std::string name)
{
    return catch_failure(load_text(engine_, std::move(text), std::move(name)));
}

asio::awaitable<result<>> embedded_server::compact()
{
    return catch_failure(on_strand(engine_, [](server_engine& e) {
        e.state().compact();
        return result<>{};
    }));
}

asio::awaitable<result<std::string>> embedded_server::snapshot()
{
    return catch_failure(on_strand(engine_, [](server_engine& e) { return result<std::string>(e.state().dump()); }));
}

asio::awaitable<result<>> embedded_server::restore(std::string snapshot)
{
    return catch_failure(on_strand(engine_, [text = std::move(snapshot)](server_engine& e) {
        auto restored = e.state().restore(text, e.time().wall_now());
        e.restored();
        return restored;
    }));
}

asio::awaitable<result<std::vector<std::string>>> embedded_server::objects(std::string resource)
{
    return catch_failure(on_strand(engine_, [resource = std::move(resource)](server_engine& e) {
        return result<std::vector<std::string>>(e.state().objects(resource));
    }));
}

asio::awaitable<result<std::uint64_t>> embedded_server::resource_version()
{
    return catch_failure(
        on_strand(engine_, [](server_engine& e) { return result<std::uint64_t>(e.state().resource_version()); }));
}

namespace {

asio::awaitable<result<>> change_log(engine_ptr engine, container_address container, log_change how, std::string text)
{
    co_return co_await on_strand(std::move(engine), [&](server_engine& e) -> result<> {
        const auto done = e.state().write_log(container, how, text, e.time().wall_now());
        if (done) return {};
        return failure_of_answer(done.error().code, status_text(done.error()));
    });
}

} // namespace

asio::awaitable<result<>> embedded_server::append_log(container_address container, std::string text)
{
    return catch_failure(change_log(engine_, std::move(container), log_change::append, std::move(text)));
}

asio::awaitable<result<>> embedded_server::end_log(container_address container)
{
    return catch_failure(change_log(engine_, std::move(container), log_change::end, {}));
}

asio::awaitable<result<>> embedded_server::restart_log(container_address container)
{
    return catch_failure(change_log(engine_, std::move(container), log_change::restart, {}));
}

asio::awaitable<result<>> embedded_server::add_token(server_options::token_user user)
{
    return catch_failure(on_strand(engine_, [user = std::move(user)](server_engine& e) {
        e.access().add_token(user.token, user.user, user.expires);
        return result<>{};
    }));
}

asio::awaitable<result<>> embedded_server::remove_token(std::string token)
{
    return catch_failure(on_strand(engine_, [token = std::move(token)](server_engine& e) {
        e.access().remove_token(token);
        return result<>{};
    }));
}

asio::awaitable<result<>> embedded_server::set_rules(std::vector<access_rule> rules)
{
    return catch_failure(on_strand(engine_, [rules = std::move(rules)](server_engine& e) {
        e.access().clear_rules();
        for (const access_rule& r : rules) e.access().add_rule(r);
        return result<>{};
    }));
}

void embedded_server::cut_connections()
{
    for (const auto& c : sockets_->table->living()) c->cut();
    engine_->cut();
}

void embedded_server::refuse_connections(bool refuse) { engine_->refusing = refuse; }

server_counters embedded_server::counters() const
{
    server_counters out = engine_->counters();
    out.connections = sockets_->table->admitted();
    out.open_connections = sockets_->table->size();
    return out;
}

} // namespace kubecoro::apiserver
