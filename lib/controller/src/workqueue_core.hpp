#pragma once

#include "delay_heap.hpp"

#include <kubecoro/controller/rate_limiter.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kubecoro {

/** What a workqueue decides: which key runs next and what becomes of one that is added again.

    Sans-io, not thread safe. It knows keys by small numbers (slots); whose slot is idle() may be given to another key.
    Dirty = wants a run; processing = a worker has it. A key that is both waits for done(). Keys that are ready form one
    queue per priority, linked through the entries; keys in work form another, the longest running first. */
class workqueue_core
{
public:
    using slot = std::uint32_t;
    static constexpr int max_priority = 100;

    /// @param ageing  Of so many hand-outs that passed over a lower priority, the last goes to whoever waited longest.
    ///                0 = never.
    explicit workqueue_core(unsigned ageing) : ageing_(ageing) {}

    enum class added
    {
        /// The queue is shut down.
        ignored,
        /// It waited already.
        merged,
        /// It is in work, and will be ready when that is done.
        after_work,
        /// It waits for its moment.
        delayed,
        /// It is ready now.
        ready
    };
    added add(slot s, int priority, time_point now);
    added add_after(slot s, duration delay, int priority, time_point now);
    added add_rate_limited(slot s, rate_limiter& limiter, int priority, time_point now);
    /// A failure of the run in hand: as add_rate_limited(), but while an earlier retry still waits for its moment the
    /// failure is not counted: events between two retries must not drive the delay up.
    added retry(slot s, rate_limiter& limiter, int priority, time_point now);

    struct handed
    {
        slot s;
        int priority;
        /// Since it became dirty.
        duration waited;
    };
    [[nodiscard]] std::optional<handed> take(time_point now);
    /// The run has ended. @return whether the key is ready again.
    bool done(slot s);
    /// Before done(): the run did not take place. The key is ready again then, also when shut down.
    void want_again(slot s, int priority, time_point now) noexcept { mark(s, priority, now); }

    struct moved
    {
        /// Became dirty: ready, or ready after work.
        std::size_t dirty = 0;
        std::size_t ready = 0;
    };
    /// Makes up to `max` keys ready whose moment has come.
    moved advance(time_point now, std::size_t max);
    [[nodiscard]] std::optional<time_point> next_due() const noexcept
    {
        if (delays_.empty()) return std::nullopt;
        return delays_.top().due;
    }

    void forget(slot s) noexcept { at(s).failures = 0; }
    [[nodiscard]] unsigned failures(slot s) const noexcept { return at(s).failures; }
    [[nodiscard]] time_point started(slot s) const noexcept { return at(s).started; }

    /// No more adds. What is ready is still handed out; what waits for its moment is dropped: those slots are returned.
    std::vector<slot> shut_down();
    [[nodiscard]] bool shutting_down() const noexcept { return shutting_down_; }
    /// Nothing is ready and nothing in work.
    [[nodiscard]] bool quiet() const noexcept { return ready_ == 0 && processing_ == 0; }

    /// Nothing is known of the slot any more.
    [[nodiscard]] bool idle(slot s) const noexcept;
    void make_room(slot s)
    {
        while (s / page_size >= pages_.size()) pages_.push_back(std::make_unique<page>());
    }
    /// Gives memory back; to be called when every slot is idle.
    void shrink() noexcept;

    [[nodiscard]] std::size_t ready() const noexcept { return ready_; }
    [[nodiscard]] std::size_t dirty() const noexcept { return dirty_; }
    [[nodiscard]] std::size_t processing() const noexcept { return processing_; }
    [[nodiscard]] std::size_t delayed() const noexcept { return delays_.size(); }
    /// The slots in work, the longest running first.
    [[nodiscard]] std::vector<slot> in_work(std::size_t max) const;
    [[nodiscard]] std::optional<time_point> oldest_start() const noexcept;
    /// Of all runs in work, since their start.
    [[nodiscard]] duration unfinished(time_point now) const noexcept;

private:
    static constexpr slot none = UINT32_MAX;
    static constexpr std::size_t levels = 2 * max_priority + 1;
    static constexpr std::size_t word_bits = 64;

    struct entry
    {
        slot next = none;
        slot previous = none;
        /// Orders the ready keys by age.
        std::uint64_t sequence = 0;
        time_point added;
        time_point started;
        std::uint32_t failures = 0;
        std::int16_t priority = 0;
        bool dirty = false;
        bool processing = false;
    };
    struct list
    {
        slot first = none;
        slot last = none;
    };

    /// Pages, so that a queue that grows copies nothing.
    static constexpr std::size_t page_size = 64;
    using page = std::array<entry, page_size>;

    [[nodiscard]] entry& at(slot s) noexcept { return (*pages_[s / page_size])[s % page_size]; }
    [[nodiscard]] const entry& at(slot s) const noexcept { return (*pages_[s / page_size])[s % page_size]; }
    static std::size_t level_of(int priority) noexcept;

    void append(list& l, slot s) noexcept;
    void unlink(list& l, slot s) noexcept;
    void make_ready(slot s) noexcept;
    void remove_ready(slot s) noexcept;
    added mark(slot s, int priority, time_point now) noexcept;
    added limited(slot s, rate_limiter& limiter, unsigned failures, int priority, time_point now);
    added delay_until(slot s, time_point due, int priority);

    [[nodiscard]] std::size_t top_level() const noexcept;
    [[nodiscard]] std::size_t oldest_level() const noexcept;
    [[nodiscard]] std::size_t choose_level() noexcept;
    unsigned ageing_;
    std::vector<std::unique_ptr<page>> pages_;
    /// Ready keys by priority, the highest last; one bit a list that is not empty.
    std::array<list, levels> queues_;
    std::array<std::uint64_t, (levels + word_bits - 1) / word_bits> filled_{};
    list work_;
    delay_heap delays_;
    std::size_t filled_levels_ = 0;
    std::size_t ready_ = 0;
    std::size_t dirty_ = 0;
    std::size_t processing_ = 0;
    std::uint64_t next_sequence_ = 0;
    unsigned passed_over_ = 0;
    bool shutting_down_ = false;
};

} // namespace kubecoro
