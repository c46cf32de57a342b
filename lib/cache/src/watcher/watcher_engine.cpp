#include "watcher/watcher_engine.hpp"

#include <kubecoro/base/try.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

/// Destroyed with the context: ends a wait elsewhere.
class watcher_engine::end_of_context
{
public:
    explicit end_of_context(std::weak_ptr<watcher_engine> of) : of_(std::move(of)) {}
    end_of_context(end_of_context&& other) noexcept : of_(std::exchange(other.of_, {})) {}
    end_of_context& operator=(end_of_context&&) = delete;
    ~end_of_context()
    {
        if (const auto engine = of_.lock()) engine->close();
    }

private:
    std::weak_ptr<watcher_engine> of_;
};

std::shared_ptr<watcher_engine> watcher_engine::make(reflector_setup s)
{
    const auto executor = s.executor.get();
    auto made = std::make_shared<watcher_engine>(std::move(s));
    if (executor) made->context_end_ = context_bound<end_of_context>(executor, end_of_context(made));
    return made;
}

// ---- the reader's side

asio::awaitable<result<watcher_batch<>>> watcher_engine::next(std::shared_ptr<watcher_engine> self)
{
    if (const auto started = self->start(); !started) co_return started.error();
    for (;;) {
        KUBECORO_TRY(auto taken, self->take());
        if (taken) co_return std::move(*taken);
        if (const auto woken = co_await self->arrived_.wait(); !woken) co_return woken.error();
    }
}

result<std::optional<watcher_batch<>>> watcher_engine::take()
{
    std::optional<watcher_batch<>> taken;
    {
        std::lock_guard lock(mutex_);
        if (closed_) return failure(cond::cancelled, "the watcher was closed");
        if (const auto why = ended_by(); why && !ready_) return *why;
        taken = std::exchange(ready_, std::nullopt);
    }
    if (taken) taken_.notify();
    return taken;
}

void watcher_engine::note_end() { arrived_.notify(); }

void watcher_engine::close()
{
    std::optional<watcher_batch<>> dropped;
    {
        std::lock_guard lock(mutex_);
        closed_ = true;
        dropped = std::exchange(ready_, std::nullopt);
    }
    request_stop();
    arrived_.notify();
}

asio::awaitable<result<>> watcher_engine::stop(std::shared_ptr<watcher_engine> self)
{
    self->close();
    co_return co_await self->join();
}

// ---- the reflector's side

void watcher_engine::put(watcher_batch<> batch)
{
    {
        std::lock_guard lock(mutex_);
        if (closed_) return;
        ready_ = std::move(batch); // empty until now: the reflector waits for room
    }
    arrived_.notify();
}

void watcher_engine::replace(std::vector<object> items, std::string resource_version,
                             std::vector<left_out_object> left_out)
{
    page({.items = std::move(items),
          .left_out = std::move(left_out),
          .first = true,
          .last = true,
          .resource_version = std::move(resource_version)});
}

void watcher_engine::page(reflector_core::do_page part)
{
    watcher_batch<> batch;
    batch.events.reserve(part.items.size() + 2);
    if (part.first) batch.events.push_back({.type = watcher_event_type::init_begins});
    for (auto& item : part.items) batch.events.push_back({.type = watcher_event_type::listed, .obj = std::move(item)});
    batch.left_out = std::move(part.left_out);
    if (part.last) {
        batch.events.push_back({.type = watcher_event_type::init_done});
        batch.resource_version = std::move(part.resource_version);
    }
    put(std::move(batch));
}

void watcher_engine::apply(std::vector<delta> changes, std::string resource_version)
{
    watcher_batch<> batch;
    batch.events.reserve(changes.size());
    for (auto& c : changes) {
        const bool gone = c.type == delta_type::deleted;
        batch.events.push_back(
            {.type = gone ? watcher_event_type::deleted : watcher_event_type::applied, .obj = std::move(c.obj)});
    }
    batch.resource_version = std::move(resource_version);
    put(std::move(batch));
}

void watcher_engine::vanished() { replace({}, {}, {}); }

bool watcher_engine::has_room() const
{
    std::lock_guard lock(mutex_);
    return !ready_;
}

asio::awaitable<result<>> watcher_engine::room()
{
    while (!has_room()) {
        if (const auto woken = co_await taken_.wait(); !woken) co_return woken;
    }
    co_return result<>{};
}

} // namespace kubecoro::detail
