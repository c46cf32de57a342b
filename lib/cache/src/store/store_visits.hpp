#pragma once

#include <kubecoro/api/detail/kept_object.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Keeps removed objects alive while iterations over the store are open.

    A visit records the addresses of the objects without taking references, which would be most of its cost. Objects
    that the writer removes while visits are open are set aside until all visits are closed. When more are set aside
    than the visits hold, the writer takes references on behalf of the visits and releases the removed objects, so
    memory stays bounded however long a visit takes.

    Thread safe, except for the ordering requirements of open() and removal. */
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

        /// Filled before open(), not changed afterwards.
        std::vector<borrowed_object> objects;

    private:
        friend class store_visits;
        store_visits* of_ = nullptr;
        /// Guarded by store_visits::mutex_: references to the same objects, once they had to be taken.
        std::vector<kept_object> counted_;
    };

    /// Keeps the objects of `v` readable until it is destroyed. Call while the writer cannot remove them.
    void open(visit& v);
    /// True while a visit is open: removed objects must be added to a removal.
    [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_acquire) != 0; }

    /// Sets the objects aside that the writer removes, also when the writer ends by an exception. Exists while open() is
    /// excluded.
    class removal
    {
    public:
        /// Makes room for as many objects. @throws std::bad_alloc before any was removed.
        removal(store_visits& of, std::size_t most);
        removal(const removal&) = delete;
        removal& operator=(const removal&) = delete;
        ~removal();
        /// Called for an object that was removed, before its last reference may go.
        void add(kept_object o) noexcept
        {
            if (wanted_) gone_.push_back(std::move(o));
        }

    private:
        store_visits& of_;
        const bool wanted_;
        std::vector<kept_object> gone_;
    };
    /// Keeps `all`, which has every object that was removed, if a visit is open. Called while open() is excluded.
    template<class T>
    void set_aside(std::unique_ptr<T>& all)
    {
        std::lock_guard lock(mutex_);
        if (!open_.empty()) whole_.emplace_back(std::move(all));
    }
    /// Bounds what is set aside; called after a removal, when open() is not excluded any more.
    void bound() noexcept;

    /// Number of objects kept alive for visits only.
    [[nodiscard]] std::size_t aside() const;

private:
    void close(visit& v);
    void make_room(std::size_t n);
    void set_aside(std::vector<kept_object> gone) noexcept;

    mutable std::mutex mutex_;
    std::vector<visit*> open_;
    /// Number of open visits. Decremented with release order, so that the writer may free what was read.
    std::atomic<std::size_t> count_{0};
    /// Number of objects in all open visits.
    std::size_t visited_ = 0;
    std::vector<kept_object> aside_;
    /// The same, with many objects in each.
    std::vector<std::shared_ptr<const void>> whole_;
};

} // namespace kubecoro::detail
