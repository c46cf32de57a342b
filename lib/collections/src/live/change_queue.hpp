#pragma once

#include "table/table_core.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/collections/detail/live_parts.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** The changes of a collection for one reader. Thread safe.

    Begins with one state of the collection. Later changes of a key that was not read yet merge, so that at most one of each key waits. */
class change_queue
{
public:
    change_queue(std::size_t max_batch, std::function<bool(const void*, const void*)> equal)
        : max_batch_(max_batch == 0 ? 1 : max_batch), equal_(std::move(equal))
    {
    }

    // ---- the strand of the collections

    void begin(table_content state);
    void add(std::span<const table_core::change> changes);
    /// No change will follow. @param drop  Nor those that wait.
    void end(const failure& why, bool drop);
    [[nodiscard]] bool over() const;

    // ---- the reader

    /// The next changes; none when there is nothing, or with `over` when nothing will come.
    [[nodiscard]] static boost::asio::awaitable<std::optional<std::vector<live_change>>>
    pop(std::shared_ptr<change_queue> self);
    [[nodiscard]] result<> end_reason() const;

private:
    [[nodiscard]] std::vector<live_change> take();
    void take_initial(std::vector<live_change>& out);
    void add(const table_core::change& c);
    void compact();

    const std::size_t max_batch_;
    const std::function<bool(const void*, const void*)> equal_;
    const wake_signal wake_;
    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::optional<table_content> initial_;
    /// The key from which the initial state is left.
    std::string next_;
    std::deque<table_core::change> queue_;
    /// Grows with what is taken from the queue.
    std::size_t first_ = 0;
    std::unordered_map<const row*, std::size_t> place_;
    std::size_t cancelled_ = 0;
    bool over_ = false;
    result<> why_over_;
    result<> last_pop_;
};

} // namespace kubecoro::detail
