#include <kubecoro/endpoints/endpoint_server.hpp>

#include "server/listener.hpp"

#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/detail/owner_end.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/endpoints/endpoint_options.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

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
    out.begin = [make = std::move(make)]() -> body_parts {
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
          strand(make_kept_strand(kept_executor(executor))),
          connections(strand.get(), options.log),
          loops(strand.get(), options.log, [this](const auto& task, const auto& why) { end_by(task, why); }),
          meters(std::make_shared<detail::endpoint_meters>(sink_of(options)))
    {
        if (!options.time) options.time = real_clock();
    }

    static std::shared_ptr<metrics> sink_of(const endpoint_options& o)
    {
        return o.metrics ? o.metrics : std::shared_ptr<metrics>(o.prometheus);
    }

    /// The one end for every failure of a loop.
    void end_by(const std::string& task, const failure& why);
    void request_stop();
    [[nodiscard]] std::size_t running() const { return loops.running() + connections.running(); }
    static asio::awaitable<result<>> joined(std::shared_ptr<state> self);

    endpoint_options options;
    kept_executor strand;
    /// A failure of one ends nothing else.
    task_group connections;
    task_group loops;
    std::shared_ptr<detail::endpoint_meters> meters;
    mutable std::mutex mutex;
    /// Ends with its context, because its sockets belong to that.
    context_bound<std::shared_ptr<detail::listener>> listening;
    std::uint16_t port = 0;
    std::string url;
    bool stopped = false;
    std::optional<failure> ended_by;
};

void endpoint_server::state::end_by(const std::string& task, const failure& why)
{
    {
        std::lock_guard lock(mutex);
        ended_by = why.because("the endpoint server has ended: its " + task + " failed");
    }
    request_stop();
    connections.stop(); // the loop that gives them time may have ended
    loops.stop();
    detail::show_end(options.log, sink_of(options).get(), "endpoints", options.address, task, why);
}

endpoint_server::endpoint_server(asio::any_io_executor executor, endpoint_options options)
    : state_(std::make_shared<state>(executor, std::move(options)))
{
}

endpoint_server::~endpoint_server()
{
    if (!state_ || state_->running() == 0) return;
    state_->options.log.error("an endpoint_server was destroyed while it runs: await stop() first");
    request_stop();
    for (task_group* g : {&state_->loops, &state_->connections}) g->keep_until_ended(state_);
}

result<> endpoint_server::start()
{
    state& s = *state_;
    std::lock_guard lock(s.mutex);
    const auto strand = s.strand.get();
    if (s.stopped || !strand) return failure{cond::cancelled, "the endpoint server has stopped"};
    if (s.listening.get()) return failure{cond::misconfigured, "the endpoint server has been started"};
    const auto address = detail::parse_listen_address(s.options.address);
    if (!address) return address.error();
    if (address->off) return {};
    auto opened = detail::listener::open(strand, s.options, s.meters);
    if (!opened) return opened.error();
    s.port = (*opened)->port();
    s.url = (*opened)->url();
    s.listening = context_bound<std::shared_ptr<detail::listener>>(strand, *opened);
    if (!(*opened)->start(s.loops, s.connections)) return failure{cond::cancelled, "the endpoint server has stopped"};
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
    if (std::exchange(stopped, true)) return;
    const auto held = listening.get();
    if (!held) return;
    if (const auto on = strand.get()) asio::post(on, [l = *held] { l->stop(); });
}

asio::awaitable<result<>> endpoint_server::stop()
{
    request_stop();
    return state::joined(state_);
}

asio::awaitable<result<>> endpoint_server::state::joined(std::shared_ptr<state> self)
{
    for (task_group* g : {&self->loops, &self->connections}) {
        if (const auto left = co_await g->join(); !left) co_return left;
    }
    std::lock_guard lock(self->mutex);
    co_return self->ended_by ? result<>(*self->ended_by) : result<>();
}

endpoint_stats endpoint_server::stats() const { return state_->meters->stats(); }

} // namespace kubecoro
