#pragma once

#include <kubecoro/controller/detail/workqueue_engine.hpp>

#include <utility>

namespace kubecoro {

/** A key held by a worker: no other worker gets this key until it is given back by done(), skip(), succeeded(), retry()
    or again_after(), each at most once.

    An item destroyed without one of these (its worker was cancelled, or threw) goes back into the queue, so that
    nothing is lost. It may outlive the queue and be given back on any thread. */
template<class Key>
class work_item
{
public:
    /// Used by workqueue. The engine lives until every item is given back.
    work_item(detail::workqueue_engine& queue, const detail::workqueue_engine::handed& h) noexcept
        : queue_(&queue), handed_(h)
    {
    }
    /// Takes the key over; `other` then tests false, and its destructor does nothing.
    work_item(work_item&& other) noexcept : queue_(std::exchange(other.queue_, nullptr)), handed_(other.handed_) {}
    work_item& operator=(work_item&& other) noexcept
    {
        if (this == &other) return *this;
        finish(verdict::kind::put_back, handed_.priority);
        queue_ = std::exchange(other.queue_, nullptr);
        handed_ = other.handed_;
        return *this;
    }
    ~work_item() { finish(verdict::kind::put_back, handed_.priority); }

    /// Valid until the item is given back.
    [[nodiscard]] const Key& key() const noexcept { return *static_cast<const Key*>(handed_.key); }
    /// The key.
    const Key& operator*() const noexcept { return key(); }
    /// The key.
    const Key* operator->() const noexcept { return &key(); }
    /// The priority with which it was handed out.
    [[nodiscard]] int priority() const noexcept { return handed_.priority; }
    /// Failures since the last forget(). Must not be called after the item was given back.
    [[nodiscard]] unsigned num_requeues() const { return queue_->num_requeues(handed_.s); }
    /// Resets the delays of this key. Must not be called after the item was given back.
    void forget() { queue_->forget(handed_.s); }
    /// True until the item is given back.
    [[nodiscard]] explicit operator bool() const noexcept { return queue_ != nullptr; }

    /// Ends the run. If the key was added during the run it is ready again.
    void done() { finish(verdict::kind::done); }
    /// As done(), when no run took place: `min_interval` does not count this hand-out.
    void skip() { finish(verdict::kind::skip); }
    /// forget() and done() in one step.
    void succeeded() { finish(verdict::kind::succeeded); }
    /** succeeded(), and takes over the next key if one is ready, in one step: a worker that is busy needs no coroutine
        and one lock for each key.

            while (auto item = co_await queue.get()) {
                do { reconcile(item->key()); } while (item->next());
            }

        @return whether the item holds a key again. False when the item was given back before, when no key is ready, and
                after many keys in a row, so that get() lets other handlers run. */
    [[nodiscard]] bool next()
    {
        if (queue_ == nullptr) return false;
        if (const auto h = queue_->next(handed_.s))
            handed_ = *h;
        else
            queue_ = nullptr;
        return queue_ != nullptr;
    }
    /// Ends a failed run: the key runs again after the limiter's delay, at the same priority unless one is given. A
    /// failure while an earlier retry still waits does not lengthen the delay.
    void retry() { finish(verdict::kind::retry, handed_.priority); }
    /// The same at another priority.
    void retry(int priority) { finish(verdict::kind::retry, priority); }
    /// Ends a successful run and requests another after `delay`: forget(), add_after() and done() in one step.
    void again_after(saturating_duration delay) { finish(verdict::kind::again, handed_.priority, delay); }
    /// The same at another priority.
    void again_after(saturating_duration delay, int priority) { finish(verdict::kind::again, priority, delay); }

private:
    using verdict = detail::workqueue_engine::verdict;

    void finish(typename verdict::kind what, int priority = 0, duration delay = duration::zero())
    {
        if (queue_ == nullptr) return;
        const verdict v{.what = what, .delay = delay, .priority = priority};
        queue_->give_back(handed_.s, v); // may throw a limiter's exception; the item is then still held
        queue_ = nullptr;
    }

    detail::workqueue_engine* queue_;
    detail::workqueue_engine::handed handed_;
};

} // namespace kubecoro
