#pragma once

#include <kubecoro/controller/workqueue_engine.hpp>

#include <utility>

namespace kubecoro {

/** A key in a worker's hands: nobody else gets this key until it is given back by done(), succeeded(), retry() or
    again_after(), each at most once.

    An item that is dropped without one of these (its worker was cancelled, or threw) goes back into the queue, so that
    nothing is lost. It may outlive the queue and be given back on any thread. */
template<class Key>
class work_item
{
public:
    work_item(workqueue_engine& queue, const workqueue_engine::handed& h) noexcept : queue_(&queue), handed_(h) {}
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
    /// The one it was handed out with.
    [[nodiscard]] int priority() const noexcept { return handed_.priority; }
    /// Failures since the last forget(). Not after the item was given back.
    [[nodiscard]] unsigned num_requeues() const { return queue_->num_requeues(handed_.s); }
    /// Starts the delays of this key over. Not after the item was given back.
    void forget() { queue_->forget(handed_.s); }
    /// Whether it was not given back yet.
    [[nodiscard]] explicit operator bool() const noexcept { return queue_ != nullptr; }

    /// The run is over. If the key was added meanwhile it is ready again.
    void done() { finish(verdict::kind::done); }
    /// forget() and done() at once.
    void succeeded() { finish(verdict::kind::succeeded); }
    /// The run failed: again after the limiter's delay, at the same priority unless one is given, and done(). A failure
    /// while an earlier retry still waits for its moment does not make the delay longer.
    void retry() { finish(verdict::kind::retry, handed_.priority); }
    /// The same at another priority.
    void retry(int priority) { finish(verdict::kind::retry, priority); }
    /// The run succeeded and wants another one after `delay`: forget(), add_after() and done() at once.
    void again_after(duration delay) { finish(verdict::kind::again, handed_.priority, delay); }
    /// The same at another priority.
    void again_after(duration delay, int priority) { finish(verdict::kind::again, priority, delay); }

private:
    using verdict = workqueue_engine::verdict;

    void finish(typename verdict::kind what, int priority = 0, duration delay = duration::zero())
    {
        if (queue_ == nullptr) return;
        const verdict v{.what = what, .delay = delay, .priority = priority};
        queue_->give_back(handed_.s, v); // may throw what a limiter throws, and then it is still in hand
        queue_ = nullptr;
    }

    workqueue_engine* queue_;
    workqueue_engine::handed handed_;
};

} // namespace kubecoro
