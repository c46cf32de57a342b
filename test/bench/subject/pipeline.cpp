#include "pipeline.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <ctime>
#include <utility>

namespace kubecoro::bench {

namespace asio = boost::asio;

namespace {

/// The clock of the server's stamps.
std::int64_t monotonic_ns() noexcept
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

object_key_view key_of(const notification<object>& n) { return object_of(n).key(); }

} // namespace

pipeline::pipeline(asio::any_io_executor executor, const client& from, const resource_type& resource,
                   informer_options options, bool controlled)
    : executor_(executor),
      paths_(paths_of(resource.plural)),
      informers_(from),
      informer_(informers_.get(resource, std::move(options))),
      events_(informer_.subscribe()),
      lister_(informer_.lister()),
      queue_(executor),
      tasks_(executor)
{
    if (controlled) loop_.emplace(executor, [this](const object_key& key, reconcile_context&) { return run(key); });
}

asio::awaitable<result<>> pipeline::handle()
{
    while (auto batch = co_await events_.pop()) {
        popped_ += batch->size();
        // Merged events count with the later batch that contains them.
        counters_.handled = popped_ + events_.stats().coalesced;
        if (stretch_ && !stretch_->began) stretch_->began = monotonic_ns();
        if (!loop_)
            queue_.add_batch(*batch, priority::normal, key_of);
        else if (stretch_)
            look();
    }
    co_return events_.end_reason();
}

asio::awaitable<result<>> pipeline::work()
{
    while (auto item = co_await queue_.get()) {
        bool more = true;
        while (more) {
            reconcile(item->key());
            more = item->next();
            ++counters_.reconciled;
            if (stretch_ && !more) look();
        }
    }
    co_return result<>();
}

asio::awaitable<result<action>> pipeline::run(const object_key& key)
{
    reconcile(key);
    ++counters_.reconciled;
    co_return action::done();
}

void pipeline::reconcile(const object_key& key)
{
    const auto o = lister_.get(key);
    if (!o) {
        ++counters_.missing;
        return;
    }
    const auto read = read_three(o, paths_);
    if (read.first.empty() || read.phase.empty() || read.stamp.empty()) ++counters_.empty;
    last_done_ = monotonic_ns();
    const auto stamp = time_of(read.stamp);
    if (stamp == 0) return;
    latencies_.record(last_done_ - stamp);
    if (arrivals_) arrivals_->push_back({.stamp = stamp, .at = last_done_});
}

void pipeline::look()
{
    if (counters_.handled >= stretch_->goal && queue_.len() == 0) stretch_->over.settle({});
}

bool pipeline::quiet() const
{
    if (!loop_) return queue_.len() == 0;
    const auto now = loop_->stats();
    return now.queue.ready == 0 && now.active == 0;
}

asio::awaitable<result<>> pipeline::settled() const
{
    asio::steady_timer pause(executor_);
    std::uint64_t before = 0;
    do {
        before = counters_.reconciled;
        pause.expires_after(std::chrono::milliseconds(2));
        co_await pause.async_wait(asio::use_awaitable);
    } while (!quiet() || counters_.reconciled != before);
    co_return result<>();
}

asio::awaitable<result<>> pipeline::sync()
{
    tasks_.spawn("handler", handle());
    if (loop_) {
        loop_->watch(informer_, enqueue_object());
        loop_->start();
    } else {
        tasks_.spawn("worker", work());
    }
    informers_.start();
    if (loop_)
        if (auto ready = co_await loop_->ready(); !ready) co_return ready;
    if (auto synced = co_await events_.has_synced(); !synced) co_return synced;
    expect(lister_.size() - counters_.handled);
    look();
    co_return co_await reached();
}

void pipeline::expect(std::uint64_t events)
{
    latencies_.clear();
    if (arrivals_) arrivals_->clear();
    stretch_ = stretch{.goal = counters_.handled + events, .began = {}, .over = {}};
}

asio::awaitable<result<>> pipeline::reached()
{
    auto over = stretch_->over;
    auto reached = co_await over.wait();
    if (!reached || !loop_) co_return reached;
    co_return co_await settled();
}

asio::awaitable<result<>> pipeline::relisted(pipeline_counters before, std::uint64_t events)
{
    // Until then the informer waits before it lists again: looking for its state meanwhile would cost more than the list.
    expect(before.handled + events - counters_.handled);
    look();
    if (auto told = co_await reached(); !told) co_return told;
    asio::steady_timer pause(executor_);
    for (;;) {
        const auto now = counters();
        const bool listed = now.lists > before.lists && informer_.state() == informer_state::watching;
        if (listed && now.handled - before.handled >= events && quiet()) co_return result<>();
        pause.expires_after(std::chrono::milliseconds(2));
        co_await pause.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<result<>> pipeline::stop()
{
    result<> ended_loop;
    if (loop_) ended_loop = co_await loop_->stop();
    auto stopped = co_await informers_.stop();
    queue_.shut_down();
    auto ended = co_await tasks_.join();
    if (!ended_loop) co_return ended_loop;
    co_return stopped ? ended : stopped;
}

pipeline_counters pipeline::counters() const
{
    auto now = counters_;
    const auto stats = informer_.stats();
    now.lists = stats.reflector.lists_total();
    now.watches = stats.reflector.watches;
    return now;
}

double pipeline::stretch_s() const
{
    if (!stretch_ || !stretch_->began) return 0;
    return static_cast<double>(last_done_ - *stretch_->began) * 1e-9;
}

} // namespace kubecoro::bench
