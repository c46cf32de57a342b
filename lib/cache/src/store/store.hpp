#pragma once

#include "fifo/delta.hpp"
#include "store/store_tables.hpp"
#include "store/store_visits.hpp"
#include "store/version_board.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
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

/** The objects of an informer: written by its strand, read by anyone.

    Readers share a lock for as long as it takes to find an object, or to note down where all of them are. A small change is made in place under the lock; a large
    one (a first list, a relist with many changes) is made on a copy of the tables, which then takes their place, so
    that readers are never kept waiting for it and never see half of it. User code never runs under the lock. */
class store final : public known_objects
{
public:
    /// @param large     Changes from which on a list is applied to a copy; putting a newer object in place counts a quarter.
    /// @param encoding  In what form objects rest; null = as they come.
    explicit store(logger log = {}, std::size_t large = 512, std::shared_ptr<object_encoding> encoding = {});
    ~store();
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    // ---- one writer at a time

    /// Applies added, updated and deleted in order, passing over version marks; gives what has changed. An object of the
    /// stored uid and version changes nothing.
    std::vector<notification> apply(std::span<const delta> deltas);

    /// Makes `items` the content of a namespace (empty = everything): deletions first, then the rest in their order. Items
    /// that are the stored handles themselves, see find(), cost next to nothing. Of several items of one key the last
    /// that is not stored already counts.
    std::vector<notification> replace(std::string_view ns, std::vector<object> items, bool initial);

    /// Errors: already_exists; timed_out when objects change faster than `f` is.
    result<> add_index(std::string name, index_function f);

    /// Objects may be stored in a form that is not their best: renew() should be called until it says that it is done.
    [[nodiscard]] bool wants_renewal() const;
    /// Brings up to `max` objects into the form in which they should rest. False when none is left.
    bool renew(std::size_t max);

    // ---- readers, any thread

    [[nodiscard]] object get(object_key_view key) const;
    [[nodiscard]] object find(object_key_view key, std::string_view uid,
                              std::string_view resource_version) const override;
    [[nodiscard]] std::vector<object> list(std::string_view ns) const;
    [[nodiscard]] std::vector<kept_object> keep(std::string_view ns) const;
    /// Shows all to `f`, one at a time and without a lock held; the handle is there for the call only.
    void visit(std::string_view ns, const std::function<void(const object&)>& f) const;
    [[nodiscard]] std::vector<object> by_index(std::string_view index, std::string_view value) const;
    [[nodiscard]] std::vector<std::string> values_of(std::string_view index) const;
    [[nodiscard]] bool has_index(std::string_view index) const;

    /** Few objects among which are all that a selector matches, for the caller to look at each; nothing where no index
        helps.

        The first call that asks for a label fills an index of that label on the caller's thread, while the store goes on
        changing; from then on it is kept up by the writer. A small store is not worth one. */
    [[nodiscard]] std::optional<std::vector<object>> candidates(const label_selector& selector,
                                                                std::string_view ns) const;
    /// Makes objects findable by a label. False when they are already, or too many labels are.
    bool index_label(const std::string& key) const;
    /// The labels by which objects are found.
    [[nodiscard]] std::vector<std::string> indexed_labels() const;

    /// How far the store is, and who waits for it.
    [[nodiscard]] const std::shared_ptr<version_board>& versions() const noexcept { return versions_; }

    [[nodiscard]] std::vector<std::string> namespaces() const;
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] std::uint64_t index_failures() const noexcept { return index_failures_; }

private:
    /// Makes `v` a visit to the objects of a namespace (empty = all) as they are now.
    void open(store_visits::visit& v, std::string_view ns) const;

    struct user_index
    {
        std::string name;
        index_function call;
    };
    struct change
    {
        object obj;
        bool erase = false;
    };
    /// An object, null where there is nothing to index, and its values in each index.
    struct indexed
    {
        const object* obj = nullptr;
        index_values values = {};
    };
    using index_list = std::vector<std::shared_ptr<const user_index>>;
    /// The values of objects in an index that is being made.
    using value_table = kept_map<std::vector<std::string>>;

    /// The stored objects of a namespace whose very handle is not among the items; nothing when both are the same.
    [[nodiscard]] std::optional<std::vector<object>> others(std::string_view ns,
                                                            const std::vector<object>& items) const;
    [[nodiscard]] object at_rest(const object& o) const;
    void find_stale();
    /// Fills in the values of every index. The index functions, which are the user's, run while `writing` is released: there is
    /// no other writer of objects, but an index may join meanwhile.
    void call_indexes(std::unique_lock<std::mutex>& writing, std::span<indexed> all) const;
    [[nodiscard]] std::vector<std::string> call_index(const user_index& index, const object& o) const;
    /// Under writer_: the stored objects whose present version the table does not have.
    [[nodiscard]] std::vector<kept_object> lacking(const value_table& values) const;
    /// Under writer_.
    void install(const std::shared_ptr<const user_index>& index, value_table values);

    logger log_;
    std::size_t large_;
    std::shared_ptr<object_encoding> encoding_;
    /// There is more than one form.
    bool packs_ = false;
    mutable std::atomic<std::uint64_t> index_failures_{0};
    /// Between the strand and whoever adds an index; never held while user code runs. Whoever holds it may read tables_
    /// without mutex_.
    mutable std::mutex writer_;
    std::shared_ptr<const index_list> user_indexes_ = std::make_shared<index_list>();
    /// Names of those that are being made.
    std::vector<std::string> coming_;
    /// Under writer_: to be renewed, the last first.
    std::vector<kept_object> stale_;
    std::uint64_t renewed_revision_ = 0;
    /// A list was stored in the form in which it came.
    bool list_came_ = false;
    mutable std::shared_mutex mutex_;
    std::unique_ptr<store_tables> tables_;
    mutable store_visits visits_;
    std::shared_ptr<version_board> versions_ = std::make_shared<version_board>();
};

} // namespace kubecoro::detail
