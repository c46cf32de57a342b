#pragma once

#include "store/store_tables.hpp"
#include "store/store_visits.hpp"
#include "store/version_board.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/lister.hpp>
#include <kubecoro/cache/notification.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

class list_change;

/** The objects of an informer: written on its strand, read from any thread.

    Readers hold a shared lock only while they look up an object or record the addresses of all. A small change is made
    in place under the lock; a large one (a first list, a relist with many changes) is made on a copy of the tables,
    which then replaces them, so that readers never wait for it and never see half of it. User code never runs under the
    lock. */
class store final : public known_objects, public former_objects
{
public:
    /// @param large     Number of changes from which a list is applied to a copy; replacing an object with a newer one
    /// counts a quarter.
    /// @param encoding  Representation of the stored objects; null = as decoded.
    explicit store(logger log = {}, std::size_t large = 512, std::shared_ptr<object_encoding> encoding = {});
    ~store();
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    // ---- one writer at a time

    /// Applies added, updated and deleted in order, skipping version marks; appends the changes to `out`. An object
    /// whose uid and version are already stored changes nothing.
    ///
    /// @param done  Number of deltas applied, also after an exception; `out` then has their changes.
    void apply(std::span<const delta> deltas, std::size_t& done, std::vector<notification<object>>& out);

    /// Makes `items` the content of a namespace (empty = all): deletions first, then the items in order; appends the
    /// changes to `out`. Items that are stored handles, see find(), cost almost nothing. If several items have one key,
    /// the last one that is not stored already counts. After an exception, `out` has the changes made so far, and
    /// another call makes the others. A list_change does the same in steps.
    void replace(std::string_view ns, const std::vector<object>& items, bool initial,
                 std::vector<notification<object>>& out);

    /// Removes the objects of these namespaces (empty = cluster-scoped objects) as one change, like replace().
    void remove(std::span<const std::string> namespaces, std::vector<notification<object>>& out);

    // The same for callers that give up after an exception; they return the changes.
    std::vector<notification<object>> apply(std::span<const delta> deltas)
    {
        std::vector<notification<object>> out;
        std::size_t done = 0;
        apply(deltas, done, out);
        return out;
    }
    std::vector<notification<object>> replace(std::string_view ns, const std::vector<object>& items, bool initial)
    {
        std::vector<notification<object>> out;
        replace(ns, items, initial, out);
        return out;
    }

    /// Errors: already_exists; timed_out when objects change faster than `f` can index them.
    result<> add_index(std::string name, index_function f);

    /// True when objects may be stored in a suboptimal form: renew() should be called until it returns false.
    [[nodiscard]] bool wants_renewal() const;
    /// Looks for such objects, some at a time, and brings up to `max` into their final form. Returns false when none is
    /// left.
    bool renew(std::size_t max);

    // ---- readers, any thread

    [[nodiscard]] object get(object_key_view key) const;
    [[nodiscard]] object find(object_key_view key, std::string_view uid,
                              std::string_view resource_version) const override;
    void expect(object_key_view key) const override;
    /// Null where objects are packed: their parts cannot be copied.
    [[nodiscard]] object former(object_key_view key) const override { return packs_ ? object() : get(key); }
    [[nodiscard]] std::vector<object> list(std::string_view ns) const;
    [[nodiscard]] std::vector<kept_object> keep(std::string_view ns) const;
    /// Calls `f` for every object, one at a time and without a lock held; the handle is valid during the call only.
    void visit(std::string_view ns, const std::function<void(const object&)>& f) const;
    // An index that does not exist has nothing, and is logged once.
    [[nodiscard]] std::vector<object> by_index(std::string_view index, std::string_view value) const;
    [[nodiscard]] std::size_t count_by_index(std::string_view index, std::string_view value) const;
    [[nodiscard]] std::vector<std::string> values_of(std::string_view index) const;
    [[nodiscard]] bool has_index(std::string_view index) const;
    /// The values of an object in an index; nothing if there is none of that name.
    [[nodiscard]] std::optional<std::vector<std::string>> values_in(std::string_view index, const object& o) const;

    /** Returns a small superset of the objects that match a selector, for the caller to filter; nothing when no index
        helps.

        The first call for a label builds its index on the caller's thread while the store keeps changing; the writer
        then maintains it. A small store gets no index. */
    [[nodiscard]] std::optional<std::vector<object>> candidates(const label_selector& selector,
                                                                std::string_view ns) const;
    /// Indexes a label. Returns false when it is indexed already, or too many labels are.
    bool index_label(const std::string& key) const;
    /// Returns the indexed labels.
    [[nodiscard]] std::vector<std::string> indexed_labels() const;

    /// The versions the store has reached, and the waits for later ones.
    [[nodiscard]] const std::shared_ptr<version_board>& versions() const noexcept { return versions_; }

    [[nodiscard]] std::vector<std::string> namespaces() const;
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::uint64_t index_failures() const noexcept { return index_failures_; }

private:
    friend class list_change;
    friend class store_walk;

    /// Reads an index; the default value if there is none of that name.
    template<class F>
    auto from_index(std::string_view name, F read) const;
    void say_missing(std::string_view index) const;
    /// Fills `v` with the current objects of a namespace (empty = all).
    void open(store_visits::visit& v, std::string_view ns) const;
    /// The same for these namespaces (empty = cluster-scoped objects).
    void open(store_visits::visit& v, std::span<const std::string> namespaces) const;

    struct user_index
    {
        user_index(std::string n, index_function f) : name(std::move(n)), call(std::move(f)) {}
        std::string name;
        index_function call;
        /// Held during a call: functions are never called concurrently.
        mutable std::mutex calling = {};
    };
    /// An object (null = nothing to index) and its values in each index.
    struct indexed
    {
        const object* obj = nullptr;
        index_values values = {};
    };
    using index_list = std::vector<std::shared_ptr<const user_index>>;
    /// An index under construction, and what has changed since its builder looked.
    struct index_construction
    {
        std::string name;
        /// Objects in their last state, and whether they are still stored: each once, however often it changes.
        kept_map<bool> changed = {};
        /// Any object may have changed.
        bool all = true;

        void note(const object& before, const object& now);
    };

    [[nodiscard]] std::shared_ptr<const index_list> current_indexes() const
    {
        const std::lock_guard writing(writer_);
        return user_indexes_;
    }
    [[nodiscard]] object at_rest(const object& o) const;
    void find_some_stale();
    /// Fills in the values of every index. The index functions are user code and run while `writing` is released:
    /// objects have no other writer, but an index may be added in that time.
    void call_indexes(std::unique_lock<checked_mutex>& writing, std::span<indexed> all) const;
    [[nodiscard]] std::vector<std::string> call_index(const user_index& index, const object& o) const;
    /// Indexes what has changed.
    void build(const user_index& index, index_construction& changes, secondary_index& built) const;
    void install(const std::shared_ptr<const user_index>& index, secondary_index built);

    logger log_;
    std::size_t large_;
    std::shared_ptr<object_encoding> encoding_;
    /// True when objects have more than one form.
    bool packs_ = false;
    mutable std::atomic<std::uint64_t> index_failures_{0};
    mutable std::mutex missing_mutex_;
    /// Names of indexes that do not exist, as far as they were logged.
    mutable std::vector<std::string> missing_;
    /// Serialises the strand with threads that add an index; never held while user code runs. Its holder may read
    /// tables_ without mutex_, and so may the strand read the objects in it.
    mutable checked_mutex writer_;
    std::shared_ptr<const index_list> user_indexes_ = std::make_shared<index_list>();
    /// The indexes under construction.
    std::vector<index_construction*> coming_;
    /// Changes with the set of indexes, those under construction included.
    mutable std::uint64_t shape_ = 0;
    /// Guarded by writer_: objects to be renewed, from the back.
    std::vector<kept_object> stale_;
    std::uint64_t renewed_revision_ = 0;
    /// True when a list was stored as decoded.
    bool list_came_ = false;
    mutable std::shared_mutex mutex_;
    std::unique_ptr<store_tables> tables_;
    mutable store_visits visits_;
    /// Used on the strand: the objects that are looked through, and how many were.
    std::unique_ptr<store_visits::visit> looked_through_;
    std::size_t looked_at_ = 0;
    std::shared_ptr<version_board> versions_ = std::make_shared<version_board>();
};

/// Appends the notifications of an object that was put in place of another one, or of none.
void announce_put(std::vector<notification<object>>& out, object before, object now, bool initial);

} // namespace kubecoro::detail
