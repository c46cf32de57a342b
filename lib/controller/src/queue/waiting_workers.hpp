#pragma once

#include <kubecoro/base/detail/wake_signal.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The wake-ups of one section under a lock, sent on destruction, which must follow the unlock.
class wake_calls
{
public:
    wake_calls() = default;
    wake_calls(const wake_calls&) = delete;
    wake_calls& operator=(const wake_calls&) = delete;
    ~wake_calls()
    {
        if (first_) first_->notify();
        for (const auto& s : more_) s.notify();
    }
    void add(const wake_signal& s)
    {
        if (first_)
            more_.push_back(s);
        else
            first_ = s;
    }

private:
    std::optional<wake_signal> first_;
    std::vector<wake_signal> more_;
};

/** Workers waiting for a key, the longest wait first. Each entry is owned by its coroutine. Not thread safe. */
class waiting_workers
{
public:
    struct worker
    {
        wake_signal signal;
        worker* next = nullptr;
        worker* previous = nullptr;
        bool listed = false;
        /// Whether it was notified, and removed from the list.
        bool called = false;
    };

    void enrol(worker& w) noexcept
    {
        w.previous = last_;
        (last_ ? last_->next : first_) = &w;
        last_ = &w;
        w.listed = true;
        ++size_;
    }
    /// Does nothing when the worker is not in the list.
    void leave(worker& w) noexcept
    {
        if (!std::exchange(w.listed, false)) return;
        (w.previous ? w.previous->next : first_) = w.next;
        (w.next ? w.next->previous : last_) = w.previous;
        --size_;
    }
    /// Notifies the worker that has waited longest, if any.
    void call_one(wake_calls& calls)
    {
        if (!first_) return;
        calls.add(first_->signal);
        first_->called = true;
        leave(*first_);
    }
    void call_all(wake_calls& calls)
    {
        while (first_) call_one(calls);
    }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    worker* first_ = nullptr;
    worker* last_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
