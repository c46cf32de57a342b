#pragma once

#include "graph/graph_core.hpp"
#include "live/change_queue.hpp"
#include "table/table_core.hpp"

#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/detail/change_stream.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/collections/live_queries.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

class live_engine;

[[nodiscard]] inline failure stopped() { return failure(cond::cancelled, "live_queries has stopped"); }

/// The state of all collections of one engine as other threads see it: it changes under one lock.
struct shown_board
{
    std::mutex mutex;
    bool over = false;
    /// Settled, and replaced, when a collection has synced or has another input, when an input has ended or shows a later change, and at the end.
    latch news;
};

/// An informer that feeds a collection.
struct live_input
{
    live_input(shared_informer<object> i, std::string name) : informer(std::move(i)), stream(informer, std::move(name))
    {
    }

    const shared_informer<object> informer;
    change_stream stream;
    struct change
    {
        row* of;
        live_item now;
    };
    /// Strand: changes that are not applied, and those among them whose rows were found.
    std::optional<whole_changes> waiting = {};
    std::vector<change> changes = {};
    wake_signal taken = {};
    // Guarded by the board:
    std::uint64_t shown_number = 0;
    std::string seen_version = {};
    std::optional<failure> ended = {};
};

/// A collection: what the strand works on, and what others see of it.
class live_table
{
public:
    std::weak_ptr<live_engine> engine = {};
    std::shared_ptr<shown_board> board = {};
    std::shared_ptr<table_core> core = {};

    // Guarded by the board:
    table_content shown = {};
    bool synced = false;
    std::shared_ptr<const stale_keys> stale = std::make_shared<const stale_keys>();
    std::vector<std::shared_ptr<live_table>> inputs = {};
    /// Null for a derived collection.
    std::shared_ptr<live_input> input = {};
    /// Those that wait for a change of a key.
    std::multimap<std::string, wake_signal, std::less<>> key_waits = {};
    /// Numbers only.
    collection_stats numbers = {};
    /// Set in a snapshot, which never changes.
    std::optional<std::vector<std::pair<std::string, std::string>>> frozen_versions = {};

    // Strand:
    std::shared_ptr<std::map<std::string, item_index, std::less<>>> hidden_indexes = {};
    std::vector<std::shared_ptr<change_queue>> queues = {};
    /// The last change of the input that the next show() shows.
    std::uint64_t applied_number = 0;
};

/// The informers that a collection is computed from, each once. Under the lock of the board.
[[nodiscard]] std::vector<const live_table*> roots_of(const live_table& t);

} // namespace kubecoro::detail
