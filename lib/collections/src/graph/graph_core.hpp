#pragma once

#include "graph/edge_list_core.hpp"
#include "table/table_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/collections/detail/live_item.hpp>
#include <kubecoro/collections/live_queries.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Why a result could not be computed, by key. The last result is kept.
using stale_keys = std::map<std::string, failure, std::less<>>;

/** Collections and how they are computed from each other.

    Sans-io, confined to a strand. Inputs change by set(); after a number of changes that belong together, run() computes what is
    touched, and then all collections show one state of the inputs. */
class graph_core
{
public:
    /// @param reads  Given to every computation.
    /// @param ticks  A moment, for the time that computations take.
    graph_core(look& reads, std::function<duration()> ticks);
    graph_core(const graph_core&) = delete;
    graph_core& operator=(const graph_core&) = delete;
    ~graph_core();

    /// Adds a collection without inputs, which set() fills.
    table_core& add_input(std::shared_ptr<table_core> t);
    /// How a collection is computed.
    struct rule
    {
        std::shared_ptr<table_core> into;
        /// A result is computed for every key that one of these has.
        std::vector<table_core*> primaries = {};
        compute_function compute = {};
        /// Results have keys of their own.
        bool keyed = false;
    };
    /// Adds a derived collection. Its order must be beyond those of its primaries and of all rules before it.
    void add_rule(rule r);

    /// Changes an input.
    void set(table_core& t, std::string_view key, live_item value) { note(t, t.set(key, std::move(value), toucher_)); }
    void set(table_core& t, row& of, live_item value) { note(t, t.set(of, std::move(value), toucher_)); }
    /// The end of a number of changes of an input.
    void end_changes(const table_core& t) { touched_.push_back(t.number()); }
    /// The input is complete: what waits for it is computed by the next run().
    void set_synced(table_core& t);

    /// Computes what is touched, in order; takes the number of elements off `most`. Returns whether more is to be done.
    [[nodiscard]] bool run(std::size_t& most);

    /// The collections that have changed since the last call, or of which stats() has; each may be there several times.
    [[nodiscard]] std::vector<std::uint32_t> take_touched() { return std::exchange(touched_, {}); }
    /// A failure that was not known, for the log.
    struct report
    {
        std::string collection;
        std::string key;
        failure why;
    };
    [[nodiscard]] std::vector<report> take_reports() { return std::exchange(reports_, {}); }

    /// Its computations and failures; the rest is empty.
    [[nodiscard]] collection_stats stats(const table_core& of) const;
    /// Not null. Another one after each change.
    [[nodiscard]] const std::shared_ptr<const stale_keys>& stale(const table_core& of) const;
    /// The numbers of the collections that it reads.
    [[nodiscard]] const std::vector<std::uint32_t>& inputs_of(const table_core& of) const;
    /// The collection that it waits for until it is complete; null = none.
    [[nodiscard]] const table_core* waits_for(const table_core& of) const;
    [[nodiscard]] std::size_t edges() const noexcept { return edges_.size(); }
    [[nodiscard]] std::size_t edge_bytes() const noexcept { return edges_.bytes(); }
    [[nodiscard]] const std::vector<std::shared_ptr<table_core>>& tables() const noexcept { return tables_; }

    // ---- for look

    [[nodiscard]] live_item read_key(table_core& t, std::string_view key);
    [[nodiscard]] std::vector<live_item> read_index(table_core& t, std::string_view index, std::string_view value);
    [[nodiscard]] std::vector<live_item> read_selection(table_core& t, const label_selector& selector);
    [[nodiscard]] std::vector<live_item> read_all(table_core& t);

private:
    struct derivation;
    struct task
    {
        derivation* owner = nullptr;
        std::string key = {};
        std::uint32_t first_edge = no_id;
        bool dirty = false;
        bool stale = false;
        /// The keys of its results, if these have some of their own.
        std::vector<std::string> made = {};
    };
    /// Ends a computation that has read a collection which is not complete. No std::exception: functions of users let it pass.
    struct not_complete
    {
        table_core* what;
    };

    void note(table_core& t, const row* changed);
    void make_dirty(std::uint32_t id);
    void want(derivation& d, std::string_view key);
    [[nodiscard]] bool run(derivation& d, std::size_t& most);
    void compute(derivation& d, std::uint32_t id);
    bool call(derivation& d, std::uint32_t id, computation& c);
    void fail(derivation& d, task& t, failure why);
    void recover(derivation& d, task& t);
    void keep_keyed(derivation& d, std::uint32_t id, std::vector<std::pair<std::string, live_item>> results);
    void show_winner(derivation& d, const std::string& key);
    void end_task(derivation& d, std::uint32_t id);
    void store(derivation& d, std::string_view key, live_item value);
    template<class F>
    void begin_read(table_core& t, F expect);
    void add_edge(read_target& t);
    [[nodiscard]] std::vector<live_item> remember(std::pair<read_target*, std::vector<live_item>> read);
    void forget_emptied();
    [[nodiscard]] const derivation* rule_of(const table_core& t) const;

    look& look_;
    const std::function<duration()> ticks_;
    std::vector<std::shared_ptr<table_core>> tables_;
    /// By the number of their collection, null for inputs; and in order.
    std::vector<derivation*> by_table_;
    std::vector<std::unique_ptr<derivation>> rules_;
    /// The derivations of which a collection is a primary input, by its number.
    std::vector<std::vector<derivation*>> primary_of_;
    /// At addresses that stay.
    std::deque<task> tasks_;
    std::vector<std::uint32_t> free_tasks_;
    edge_list edges_;
    std::vector<read_target*> emptied_;
    std::vector<report> reports_;
    std::vector<std::uint32_t> touched_;
    table_core::touch_function toucher_;
    // The computation in progress.
    derivation* computing_ = nullptr;
    std::uint32_t computed_task_ = no_id;
    std::uint64_t stamp_ = 0;
    std::size_t read_ = 0;
    table_core* missing_ = nullptr;
};

} // namespace kubecoro::detail
