#pragma once

#include <kubecoro/api/detail/borrowed_object.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace kubecoro::detail {

/** Who goes through the objects of a store, and what has left the store meanwhile.

    A visit notes down where the objects are and counts none of them, which would be most of the work. What the writer takes
    out while visits are open is kept aside until none is. When more lies aside than the visits hold, the writer counts
    their objects for them and is rid of them: memory stays bounded however long a visit takes.

    Thread safe, but for the order of things: see open() and leave(). */
class store_visits
{
public:
    class visit
    {
    public:
        visit() = default;
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;
        ~visit();

        /// Filled before open(), never changed afterwards.
        std::vector<borrowed_object> objects;

    private:
        friend class store_visits;
        store_visits* of_ = nullptr;
        /// Under the mutex of the store's visits: the same objects, when they had to be counted.
        std::vector<kept_object> counted_;
    };

    /// What it holds is readable until it is destroyed. To be called while the writer cannot yet take them out.
    void open(visit& v);
    /// Somebody may hold what has left the store up to now: leave() has to be called.
    [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }
    /// What the writer has taken out and still holds. Where it did so, no visit could be opened meanwhile.
    void leave(std::vector<kept_object> gone);

    /// Objects that are kept for visits alone.
    [[nodiscard]] std::size_t aside() const;

private:
    void close(visit& v);

    mutable std::mutex mutex_;
    std::vector<visit*> open_;
    /// As many as are open. Going down releases what was read, so that the writer may free it.
    std::atomic<std::size_t> count_{0};
    /// Objects of all that are open.
    std::size_t visited_ = 0;
    std::vector<kept_object> aside_;
};

} // namespace kubecoro::detail
