#pragma once
// The data of a store: objects by namespace and name, and by the values of user indexes. Not thread safe.
//
// An entry of the main table is one pointer. The key is not stored beside it: it is read from the object, whose first
// cache line has its name. A look-up therefore waits twice for memory, for the slot and for the object, and a batch of
// events hides both: the memory of the entry is requested some steps ahead. Hashes are keyed with a secret of the
// process, since tenants choose names (docs/decisions/0007-hash.md).
//
// Namespaces are tables of their own behind shared pointers. A list of one namespace, which replaces much, is applied
// to a copy of the tables that shares all the others, so that readers see the old content or the new one and never
// wait for a list. A watch event is one assignment under the lock, for which no copy is made. This is why a store has
// no versions and no tree that shares paths: readers hold handles of objects, which are immutable, and need nothing
// else to stay as it is.
//
// An index keeps the values that an object had when it was put. Removal thus asks no user function, which might answer
// otherwise by then.
//
// Content is dropped in steps. The last handle of a hundred thousand objects would otherwise free them all in one turn
// of the strand (docs/decisions/0067-turns.md).

#include "fifo/key_set.hpp"
#include "store/erase_some.hpp"
#include "store/label_index.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The values of one object in each index, in the order of the indexes.
using index_values = std::vector<std::vector<std::string>>;

/** Finds objects by index value. Keeps the values of each object: an index function that later returns other values, or
    throws, cannot leave a stale entry. */
class secondary_index
{
public:
    explicit secondary_index(std::string name) : name_(std::move(name)) {}

    void put(const kept_object& o, std::vector<std::string> values);
    /// Makes room for a number of objects with values.
    void reserve(std::size_t objects) { of_object_.reserve(objects); }
    /// Puts the object with the values that it has in `from`.
    void copy(const kept_object& o, const secondary_index& from);
    /// Drops the content in steps; see erase_some().
    [[nodiscard]] bool drop_some(std::size_t& most) noexcept;
    void erase(object_key_view key);
    /// Replaces the stored object with the same object in another form.
    void renew(const kept_object& now) noexcept;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::vector<object> find(std::string_view value) const;
    [[nodiscard]] std::size_t count(std::string_view value) const;
    [[nodiscard]] std::vector<std::string> values() const;

private:
    struct nothing
    {
    };
    using bucket = kept_map<nothing>;

    using value_map = kept_map<std::vector<std::string>>;

    std::string name_;
    text_map<bucket> buckets_;
    value_map of_object_;
    // How far drop_some() has come:
    std::optional<value_map::iterator> next_object_;
    std::optional<text_map<bucket>::iterator> next_bucket_;
    std::optional<bucket::iterator> next_in_bucket_;
};

/// Finds what has the hash of a name, without a look at the object: rarely that of another name.
struct likely_name
{
    std::string_view name;
};

struct by_name_hash
{
    using is_transparent = void;
    using is_avalanching = void;
    [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept { return text_hash{}(name); }
    [[nodiscard]] std::size_t operator()(const kept_object& o) const noexcept { return text_hash{}(o.name()); }
    [[nodiscard]] std::size_t operator()(likely_name n) const noexcept { return text_hash{}(n.name); }
};

struct by_name_equal
{
    using is_transparent = void;
    [[nodiscard]] bool operator()(const kept_object& a, const kept_object& b) const noexcept
    {
        return a.name() == b.name();
    }
    [[nodiscard]] bool operator()(std::string_view a, const kept_object& b) const noexcept { return a == b.name(); }
    [[nodiscard]] bool operator()(const kept_object& a, std::string_view b) const noexcept { return a.name() == b; }
    [[nodiscard]] bool operator()(likely_name, const kept_object&) const noexcept { return true; }
};

/** Tables may share the objects of a namespace until one of them changes these: a list of one namespace copies none of
    another. One thread changes, copies and destroys tables that share some. */
class store_tables
{
public:
    store_tables() = default;
    store_tables(const store_tables&) = delete;
    store_tables& operator=(const store_tables&) = delete;

    /// How many objects of a namespace will come, by namespace.
    using growth = std::map<std::string, std::size_t, std::less<>>;
    /// Begins a copy of `from`: shares all namespaces but those that will grow, and has the same indexes and labels. These
    /// lack their objects; copy() adds one.
    [[nodiscard]] static std::unique_ptr<store_tables> begin_copy(const store_tables& from, const growth& changing);
    void copy(const kept_object& o, const store_tables& from, const growth& changing);
    /// Drops the content in steps; see erase_some().
    [[nodiscard]] bool drop_some(std::size_t& most) noexcept;

    /// The stored object, or null.
    [[nodiscard]] object find(object_key_view key) const;
    /// Requests the memory of the object that find() would return.
    void prefetch(object_key_view key) const;
    /// Returns the previous object, or null.
    object put(const object& o, index_values values);
    object erase(object_key_view key);
    /// Stores the same object in another form, unless it was replaced.
    void renew(const kept_object& before, const object& now);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Calls f(kept_object) for all, or for those of one namespace (empty = all).
    template<class F>
    void each(F&& f) const
    {
        for (const auto& [ns, content] : namespaces_)
            for (const auto& o : *content) f(o);
    }
    template<class F>
    void each_in(std::string_view ns, F&& f) const
    {
        return ns.empty() ? each(f) : each_of(ns, f);
    }
    /// The same where an empty namespace is that of cluster-scoped objects.
    template<class F>
    void each_of(std::string_view ns, F&& f) const
    {
        if (auto at = namespaces_.find(ns); at != namespaces_.end())
            for (const auto& o : *at->second) f(o);
    }
    [[nodiscard]] std::size_t size_of(std::string_view ns) const;
    [[nodiscard]] std::vector<std::string> namespace_names() const;

    /// Adds an index of the same objects.
    void add_index(secondary_index built) { indexes_.push_back(std::move(built)); }
    [[nodiscard]] std::size_t indexes() const noexcept { return indexes_.size(); }
    /// Whether there are indexes or labels.
    [[nodiscard]] bool indexed() const noexcept { return !indexes_.empty() || !labels_.empty(); }
    [[nodiscard]] const secondary_index* index(std::string_view name) const;

    [[nodiscard]] label_indexes& labels() noexcept { return labels_; }
    [[nodiscard]] const label_indexes& labels() const noexcept { return labels_; }

private:
    /// Keyed by the name inside the object: an entry is one pointer.
    using partition = boost::unordered_flat_set<kept_object, by_name_hash, by_name_equal>;

    /// The content for a change: no other tables have it.
    [[nodiscard]] static partition& own(std::shared_ptr<partition>& content);

    text_map<std::shared_ptr<partition>> namespaces_;
    std::vector<secondary_index> indexes_;
    label_indexes labels_;
    std::size_t size_ = 0;
    std::size_t bytes_ = 0;
    // How far drop_some() has come:
    std::optional<text_map<std::shared_ptr<partition>>::iterator> next_namespace_;
    std::optional<partition::iterator> next_object_;
};

} // namespace kubecoro::detail
