#include "live/change_queue.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

void change_queue::begin(table_content state)
{
    std::lock_guard lock(mutex_);
    if (over_) return;
    initial_ = std::move(state);
    wake_.notify();
}

void change_queue::add(std::span<const table_core::change> changes)
{
    std::lock_guard lock(mutex_);
    if (over_) return;
    for (const auto& c : changes) add(c);
    wake_.notify();
}

void change_queue::add(const table_core::change& c)
{
    const auto [at, is_new] = place_.try_emplace(c.of.get(), first_ + queue_.size());
    if (is_new) {
        queue_.push_back(c);
        return;
    }
    auto& w = queue_[at->second - first_];
    const bool was_nothing = w.before == w.after;
    w.after = c.after;
    // Back where it began: the reader learns nothing. The place is kept for a later change.
    if (w.before && w.after && equal_(w.before.get(), w.after.get())) w.after = w.before;
    if (!was_nothing && w.before == w.after) ++cancelled_;
    if (was_nothing && w.before != w.after) --cancelled_;
    if (cancelled_ > 64 && cancelled_ > queue_.size() / 2) compact();
}

void change_queue::compact()
{
    std::deque<table_core::change> kept;
    for (auto& w : queue_)
        if (w.before != w.after) kept.push_back(std::move(w));
    queue_ = std::move(kept);
    cancelled_ = 0;
    place_.clear();
    for (std::size_t i = 0; i != queue_.size(); ++i) place_.emplace(queue_[i].of.get(), first_ + i);
}

void change_queue::end(const failure& why, bool drop)
{
    std::optional<table_content> initial;
    std::deque<table_core::change> dropped;
    std::lock_guard lock(mutex_);
    if (!std::exchange(over_, true)) why_over_ = why;
    if (drop) {
        initial.swap(initial_);
        dropped.swap(queue_);
        place_.clear();
    }
    wake_.notify();
}

bool change_queue::over() const
{
    std::lock_guard lock(mutex_);
    return over_;
}

void change_queue::take_initial(std::vector<live_change>& out)
{
    bool more = false;
    initial_->rows.scan(std::string_view(next_), [&](const auto& e) {
        more = out.size() == max_batch_;
        if (more)
            next_ = e.key->key();
        else
            out.push_back({std::string(e.key->key()), nullptr, e.value, true});
        return !more;
    });
    if (!more) initial_.reset();
}

std::vector<live_change> change_queue::take()
{
    std::vector<live_change> out;
    if (initial_) take_initial(out);
    while (!initial_ && !queue_.empty() && out.size() < max_batch_) {
        auto& w = queue_.front();
        place_.erase(w.of.get());
        if (w.before != w.after)
            out.push_back({std::string(w.of->key()), std::move(w.before), std::move(w.after), false});
        else
            --cancelled_;
        queue_.pop_front();
        ++first_;
    }
    return out;
}

asio::awaitable<std::optional<std::vector<live_change>>> change_queue::pop(std::shared_ptr<change_queue> self)
{
    for (;;) {
        {
            std::lock_guard lock(self->mutex_);
            auto out = self->take();
            self->last_pop_ = {};
            if (!out.empty()) co_return out;
            if (self->over_) {
                self->last_pop_ = self->why_over_;
                co_return std::nullopt;
            }
        }
        const auto woken = co_await catch_failure(self->wake_.wait());
        if (woken) continue;
        if (woken.error() != cond::cancelled) throw error(woken.error());
        std::lock_guard lock(self->mutex_);
        self->last_pop_ = woken;
        co_return std::nullopt;
    }
}

result<> change_queue::end_reason() const
{
    std::lock_guard lock(mutex_);
    return last_pop_;
}

} // namespace kubecoro::detail
