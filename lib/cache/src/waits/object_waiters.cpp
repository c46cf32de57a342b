#include "waits/object_waiters.hpp"

#include "store/store.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

void object_waiter::tell(object state)
{
    {
        std::lock_guard lock(mutex_);
        if (end_) return;
        if (states_.size() < most_states)
            states_.push_back(std::move(state));
        else
            states_.back() = std::move(state);
    }
    wake_.notify();
}

void object_waiter::end(failure why)
{
    {
        std::lock_guard lock(mutex_);
        if (!end_) end_ = std::move(why);
    }
    wake_.notify();
}

asio::awaitable<result<std::vector<object>>> object_waiter::next(std::shared_ptr<object_waiter> self)
{
    for (;;) {
        {
            std::lock_guard lock(self->mutex_);
            if (!self->states_.empty()) co_return std::exchange(self->states_, {});
            if (self->end_) co_return *self->end_;
        }
        KUBECORO_TRY(co_await self->wake_.wait());
    }
}

namespace {

void tell_one(object_waiter& waiter, const notification<object>& n)
{
    const auto* d = std::get_if<deleted<object>>(&n);
    if (!d) return waiter.tell(object_of(n));
    const bool is_elsewhere = d->why == departure::share_left;
    if (d->why != departure::namespace_left && !is_elsewhere) return waiter.tell({});
    // The object may still exist, but the informer no longer watches it.
    const auto* what =
        is_elsewhere ? "the informer's share no longer has " : "the informer no longer covers the namespace of ";
    waiter.end(failure(cond::cancelled, what + to_string(waiter.key())));
}

} // namespace

void object_waiters::add(const std::shared_ptr<object_waiter>& waiter)
{
    std::lock_guard lock(mutex_);
    if (closed_) return waiter->end(*closed_);
    if (pace_.due(size_)) sweep();
    by_key_[waiter->key()].push_back(waiter);
    ++size_;
}

void object_waiters::tell(std::span<const notification<object>> batch)
{
    std::lock_guard lock(mutex_);
    if (by_key_.empty()) return;
    for (const auto& n : batch) {
        const auto at = by_key_.find(object_of(n).key());
        if (at == by_key_.end()) continue;
        for (const auto& weak : at->second)
            if (const auto waiter = weak.lock()) tell_one(*waiter, n);
    }
}

void object_waiters::filled(const std::string& ns, const store& content)
{
    for (const auto& waiter : all_in(ns)) waiter->tell(content.get(waiter->key()));
}

void object_waiters::fail(const std::string& ns, const failure& why)
{
    for (const auto& waiter : all_in(ns)) waiter->end(why);
}

void object_waiters::close(const failure& why)
{
    {
        std::lock_guard lock(mutex_);
        if (!closed_) closed_ = why;
    }
    fail({}, why);
}

std::size_t object_waiters::size() const
{
    std::lock_guard lock(mutex_);
    return size_;
}

/// Removes abandoned waiters. The next sweep depends on the number left, so the amortised cost per waiter is small.
void object_waiters::sweep()
{
    size_ = 0;
    for (auto& [key, waiters] : by_key_) {
        std::erase_if(waiters, [](const auto& w) { return w.expired(); });
        size_ += waiters.size();
    }
    erase_if(by_key_, [](const auto& each) { return each.second.empty(); });
    pace_.swept(size_);
}

std::vector<std::shared_ptr<object_waiter>> object_waiters::all_in(const std::string& ns) const
{
    std::vector<std::shared_ptr<object_waiter>> out;
    std::lock_guard lock(mutex_);
    for (const auto& [key, waiters] : by_key_) {
        if (!ns.empty() && key.ns != ns) continue;
        for (const auto& weak : waiters)
            if (auto waiter = weak.lock()) out.push_back(std::move(waiter));
    }
    return out;
}

} // namespace kubecoro::detail
