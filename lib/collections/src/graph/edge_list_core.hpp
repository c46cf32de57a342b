#pragma once
// Which results have read what: the edges of the graph.

#include "table/live_row.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kubecoro::detail {

/** Edges from results to what they have read, each in the list of its result and in that of its target. 24 bytes each, in pages, so that
    growth copies none. */
class edge_list
{
public:
    /// Adds an edge to the lists that begin with `task_first` and `target.first`.
    void add(std::uint32_t task, std::uint32_t& task_first, read_target& target)
    {
        const auto id = take();
        edge& e = at(id);
        e = {.target = &target, .task = task, .next_of_task = task_first, .next = target.first, .previous = no_id};
        if (target.first != no_id) at(target.first).previous = id;
        target.first = id;
        task_first = id;
        ++size_;
    }

    /// Removes all edges of a result. Calls emptied(target) for what nothing reads any more.
    template<class F>
    void remove_all(std::uint32_t& task_first, F emptied)
    {
        for (auto id = task_first; id != no_id;) {
            edge& e = at(id);
            const auto next_of_task = e.next_of_task;
            if (e.next != no_id) at(e.next).previous = e.previous;
            if (e.previous != no_id)
                at(e.previous).next = e.next;
            else
                e.target->first = e.next;
            if (e.target->first == no_id) emptied(*e.target);
            e.next_of_task = free_;
            free_ = id;
            --size_;
            id = next_of_task;
        }
        task_first = no_id;
    }

    /// Calls f(task) for each result that has read the target.
    template<class F>
    void each(const read_target& target, F f) const
    {
        for (auto id = target.first; id != no_id; id = at(id).next) f(at(id).task);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return pages_.size() * sizeof(page); }

private:
    struct edge
    {
        read_target* target = nullptr;
        std::uint32_t task = no_id;
        std::uint32_t next_of_task = no_id;
        std::uint32_t next = no_id;
        std::uint32_t previous = no_id;
    };
    static constexpr std::size_t page_size = 1024;
    using page = std::array<edge, page_size>;

    [[nodiscard]] edge& at(std::uint32_t id) noexcept { return (*pages_[id / page_size])[id % page_size]; }
    [[nodiscard]] const edge& at(std::uint32_t id) const noexcept { return (*pages_[id / page_size])[id % page_size]; }

    [[nodiscard]] std::uint32_t take()
    {
        if (free_ != no_id) {
            const auto id = free_;
            free_ = at(id).next_of_task;
            return id;
        }
        if (made_ == pages_.size() * page_size) pages_.push_back(std::make_unique<page>());
        return made_++;
    }

    std::vector<std::unique_ptr<page>> pages_;
    std::uint32_t made_ = 0;
    std::uint32_t free_ = no_id;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
