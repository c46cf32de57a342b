#include "reflector/sink_feeder.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

sink_feeder::sink_feeder(reflector_setup s, std::shared_ptr<reflector_sink> sink)
    : reflector_engine(std::move(s)), sink_(std::move(sink))
{
}

asio::awaitable<result<>> sink_feeder::run(std::shared_ptr<sink_feeder> self)
{
    return finishing(run_to_the_end(std::move(self)));
}

asio::awaitable<result<>> sink_feeder::run_to_the_end(std::shared_ptr<sink_feeder> self)
{
    {
        std::lock_guard lock(self->mutex_);
        if (std::exchange(self->run_called_, true))
            co_return failure(cond::misconfigured, "reflector::run() was called twice");
    }
    if (auto started = self->start(); !started) co_return started;
    const struct owner
    {
        std::shared_ptr<sink_feeder> feeder;
        ~owner() { abandon(feeder); } // also when this coroutine is destroyed
    } ends{self};
    co_await self->join();
    self->request_stop();
    while (self->running()) { // a cancellation may end join() early
        co_await self->join();
    }
    co_return self->ended_by().value_or(failure(cond::cancelled, "the reflector was cancelled"));
}

std::string sink_feeder::version() const
{
    std::lock_guard lock(mutex_);
    return version_;
}

void sink_feeder::set_version(std::string version)
{
    std::lock_guard lock(mutex_);
    version_ = std::move(version);
}

void sink_feeder::replace(std::vector<object> items, std::string resource_version,
                          std::vector<left_out_object> left_out)
{
    calls_.push_back({.what = call::kind::replace,
                      .items = std::move(items),
                      .left_out = std::move(left_out),
                      .resource_version = std::move(resource_version)});
}

void sink_feeder::apply(std::vector<delta> changes, std::string resource_version)
{
    calls_.push_back(
        {.what = call::kind::apply, .changes = std::move(changes), .resource_version = std::move(resource_version)});
}

void sink_feeder::vanished() { calls_.push_back({.what = call::kind::vanished}); }

asio::awaitable<result<>> sink_feeder::room()
{
    while (!calls_.empty()) {
        std::string version = calls_.front().resource_version;
        auto making = catch_failure(make(std::move(calls_.front())));
        calls_.pop_front();
        auto made = co_await std::move(making);
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() == asio::cancellation_type::none) co_await own_filter();
        co_await own_throws();
        if (made && stopping()) made = failure(cond::cancelled);
        if (!made) {
            calls_.clear();
            co_return made;
        }
        set_version(std::move(version));
    }
    co_return result<>{};
}

// A coroutine, so that a sink that throws before it suspends fails like one that throws later.
asio::awaitable<result<>> sink_feeder::make(call c)
{
    if (c.what == call::kind::replace) {
        co_return co_await sink_->replace(std::move(c.items), std::move(c.resource_version), std::move(c.left_out));
    }
    if (c.what == call::kind::apply) {
        co_return co_await sink_->apply(std::move(c.changes), std::move(c.resource_version));
    }
    co_return co_await sink_->vanished();
}

} // namespace kubecoro::detail
