#include <kubecoro/endpoints/endpoint_server.hpp>

#include "server/listener.hpp"
#include "server/served_paths.hpp"

#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <mutex>

namespace asio = boost::asio;

namespace kubecoro {

struct endpoint_server::state
{
    state(const asio::any_io_executor& executor, endpoint_options o)
        : options(std::move(o)),
          strand(make_kept_strand(kept_executor(executor))),
          tasks(strand.get(), options.log),
          meters(std::make_shared<detail::endpoint_meters>(sink_of(options)))
    {
        if (!options.time) options.time = real_clock();
    }

    static std::shared_ptr<metrics> sink_of(const endpoint_options& o)
    {
        return o.metrics ? o.metrics : std::shared_ptr<metrics>(o.prometheus);
    }

    endpoint_options options;
    kept_executor strand;
    task_group tasks;
    std::shared_ptr<detail::endpoint_meters> meters;
    mutable std::mutex mutex;
    /// Ends with its context, because its sockets belong to that.
    context_bound<std::shared_ptr<detail::listener>> listening;
    std::uint16_t port = 0;
    std::string url;
    bool stopped = false;
};

endpoint_server::endpoint_server(asio::any_io_executor executor, endpoint_options options)
    : state_(std::make_shared<state>(executor, std::move(options)))
{
}

endpoint_server::~endpoint_server()
{
    if (!state_ || state_->tasks.running() == 0) return;
    state_->options.log.error("an endpoint_server was destroyed while it runs: await stop() first");
    request_stop();
    state_->tasks.keep_until_ended(state_);
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
    if (!(*opened)->start(s.tasks)) return failure{cond::cancelled, "the endpoint server has stopped"};
    s.options.log.info("serving", {{"url", s.url}, {"paths", detail::served_paths(s.options)}});
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

void endpoint_server::request_stop()
{
    state& s = *state_;
    std::lock_guard lock(s.mutex);
    if (std::exchange(s.stopped, true)) return;
    const auto held = s.listening.get();
    if (!held) return;
    if (const auto strand = s.strand.get()) asio::post(strand, [l = *held] { l->stop(); });
}

asio::awaitable<result<>> endpoint_server::stop()
{
    request_stop();
    return [](std::shared_ptr<state> s) -> asio::awaitable<result<>> { co_return co_await s->tasks.join(); }(state_);
}

endpoint_stats endpoint_server::stats() const { return state_->meters->stats(); }

} // namespace kubecoro
