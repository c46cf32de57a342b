#include <kubecoro/endpoints/endpoint_server.hpp>

#include "server/server_engine.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>
#include <kubecoro/http/detail/http_server.hpp>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// The paths of a server with these options, for people: "/livez /readyz /metrics". Empty if it serves none.
std::string served_paths(const endpoint_options& o)
{
    std::string out;
    const auto add = [&out](const std::string& path) { out += (out.empty() ? "" : " ") + path; };
    for (const auto& page : o.pages) add(page.path);
    if (o.health)
        for (const auto* const path : {"/livez", "/healthz", "/readyz"}) add(path);
    if (o.prometheus) add("/metrics");
    if (o.debug)
        for (const auto* const path : {"/debug", "/dashboard"}) add(path);
    return out;
}

} // namespace

streamed_page text_page(std::string path, std::function<std::string()> make)
{
    streamed_page out;
    out.path = std::move(path);
    out.begin = [make = std::move(make)]() -> std::function<bool(std::string&)> {
        return [make](std::string& part) {
            part += make();
            return false;
        };
    };
    return out;
}

struct endpoint_server::state
{
    state(const asio::any_io_executor& executor, endpoint_options o)
        : options(std::move(o)),
          strand(detail::make_kept_strand(detail::kept_executor(executor))),
          meters(std::make_shared<detail::endpoint_meters>(sink()))
    {
        if (!options.time) options.time = real_clock();
    }

    [[nodiscard]] std::shared_ptr<metrics> sink() const
    {
        return options.metrics ? options.metrics : std::shared_ptr<metrics>(options.prometheus);
    }
    /// Empty = plain HTTP.
    [[nodiscard]] result<std::function<std::shared_ptr<detail::server_tls>()>> certificate() const;
    /// Binds the address and serves it. With the mutex held.
    result<detail::bound_address> serve(const detail::listen_address& at);
    /// The one end for every failure of a loop.
    void end_by(const std::string& task, const failure& why);
    void request_stop();
    static asio::awaitable<result<>> joined(std::shared_ptr<state> self);

    endpoint_options options;
    detail::kept_executor strand;
    std::shared_ptr<detail::endpoint_meters> meters;
    mutable std::mutex mutex;
    /// Empty before the start.
    std::optional<detail::http_server> server;
    std::uint16_t port = 0;
    std::string url;
    bool stopped = false;
    std::optional<failure> ended_by;
};

result<std::function<std::shared_ptr<detail::server_tls>()>> endpoint_server::state::certificate() const
{
    const endpoint_options::tls_files& files = options.tls;
    if (files.certificate_file.empty() && files.key_file.empty()) return {};
    detail::server_certificate::settings with;
    with.certificate_file = files.certificate_file;
    with.key_file = files.key_file;
    with.machine = system_environment();
    with.time = options.time;
    with.numbers = sink();
    with.reloads = "kubecoro_endpoints_tls_reloads_total";
    with.expiry = "kubecoro_endpoints_certificate_expiry_timestamp_seconds";
    with.log = options.log;
    auto made = detail::server_certificate::make(std::move(with));
    if (!made) return made.error();
    return [certificate = *made] { return certificate->current(); };
}

result<detail::bound_address> endpoint_server::state::serve(const detail::listen_address& at)
{
    /// The kernel's memory counts too.
    constexpr int kernel_buffer = 128 * 1024;
    auto tls = certificate();
    if (!tls) return tls.error();
    const auto table = std::make_shared<detail::connection_table>(options.limits.max_connections, options.time, strand);
    const auto engine = std::make_shared<detail::server_engine>(table, options, meters);
    if (at.address.is_loopback()) engine->expect_local_hosts();
    server.emplace(
        detail::http_server::settings{.title = "endpoints",
                                      .service = engine,
                                      .table = table,
                                      .strand = strand,
                                      .grace = options.limits.grace,
                                      .log = options.log,
                                      .on_failure = [this](const auto& task, const auto& why) { end_by(task, why); }});
    return server->listen({at, std::move(*tls), detail::limits_of(options.limits), kernel_buffer});
}

void endpoint_server::state::end_by(const std::string& task, const failure& why)
{
    {
        std::lock_guard lock(mutex);
        ended_by = why.because("the endpoint server has ended: its " + task + " failed");
        stopped = true;
    }
    server->end();
    detail::show_end(options.log, sink().get(), "endpoints", options.address, task, why);
}

endpoint_server::endpoint_server(asio::any_io_executor executor, endpoint_options options)
    : state_(std::make_shared<state>(executor, std::move(options)))
{
}

endpoint_server::~endpoint_server()
{
    if (!state_ || !state_->server || state_->server->running() == 0) return;
    state_->options.log.error("an endpoint_server was destroyed while it runs: await stop() first");
    request_stop();
    state_->server->keep_until_ended(state_);
}

result<> endpoint_server::start()
{
    state& s = *state_;
    std::lock_guard lock(s.mutex);
    if (s.stopped || !s.strand.get()) return failure{cond::cancelled, "the endpoint server has stopped"};
    if (s.port != 0) return failure{cond::misconfigured, "the endpoint server has been started"};
    const auto address = detail::parse_listen_address(s.options.address);
    if (!address) return address.error();
    if (address->off) return {};
    const auto bound = s.serve(*address);
    if (!bound) return bound.error();
    s.port = bound->port;
    s.url = bound->url();
    s.options.log.info("serving", {{"url", s.url}, {"paths", served_paths(s.options)}});
    return {};
}

bool endpoint_server::listening() const { return port() != 0; }

std::uint16_t endpoint_server::port() const
{
    std::lock_guard lock(state_->mutex);
    return state_->port;
}

std::string endpoint_server::url() const
{
    std::lock_guard lock(state_->mutex);
    return state_->url;
}

void endpoint_server::request_stop() { state_->request_stop(); }

void endpoint_server::state::request_stop()
{
    std::lock_guard lock(mutex);
    stopped = true;
    if (server) server->request_stop();
}

asio::awaitable<result<>> endpoint_server::stop()
{
    request_stop();
    return state::joined(state_);
}

asio::awaitable<result<>> endpoint_server::state::joined(std::shared_ptr<state> self)
{
    if (self->server)
        if (const auto left = co_await self->server->join(); !left) co_return left;
    std::lock_guard lock(self->mutex);
    co_return self->ended_by ? result<>(*self->ended_by) : result<>();
}

endpoint_stats endpoint_server::stats() const { return state_->meters->stats(); }

} // namespace kubecoro
