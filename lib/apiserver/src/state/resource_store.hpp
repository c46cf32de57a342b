// The objects and history of one resource, the newest events in forms that only some watchers ask for, and what follows the changes.
#pragma once

#include "objects/registry.hpp"
#include "objects/stored_object.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

/// Keeps the renderings of a resource's newest changes, up to a bound of bytes. Strand-confined.
class rendered_events
{
public:
    using line = std::shared_ptr<const std::string>;

    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    /** @param sequence  The number of the change. @param form  Names all that the rendering depends on, but the change.
        @return null if it is not kept. */
    [[nodiscard]] line find(std::uint64_t sequence, const std::string& form) const;
    /// Keeps a rendering in place of older ones. One that is larger than the bound is not kept.
    void keep(std::uint64_t sequence, std::string form, line made);
    /// Drops those of changes before a number.
    void forget_before(std::uint64_t sequence);
    void clear() { forget_before(static_cast<std::uint64_t>(-1)); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    using key = std::pair<std::uint64_t, std::string>;
    void forget_oldest();

    std::map<key, line> lines_;
    std::size_t bytes_ = 0;
};

enum class change_type
{
    added,
    modified,
    deleted
};

struct change
{
    change_type type;
    std::uint64_t version;
    /// Null for added.
    stored before;
    /// The object of the event; for deleted the last state at the version of the deletion.
    stored object;
    /// The event's JSON line in the stored version, rendered once and shared by all watchers.
    mutable std::shared_ptr<const std::string> line = nullptr;
    /// The same in protobuf.
    mutable std::shared_ptr<const std::string> frame = nullptr;
};

class resource_store
{
public:
    /// @param all_bytes  The bytes of all histories, including this one.
    resource_store(resource_info i, const cluster_options& limits, std::shared_ptr<const std::uint64_t> cluster_version,
                   std::shared_ptr<std::size_t> all_bytes)
        : info(std::move(i)),
          limit_(std::max<std::size_t>(limits.history, 1)),
          limit_bytes_(limits.history_bytes / 2),
          cluster_version_(std::move(cluster_version)),
          all_bytes_(std::move(all_bytes)),
          floor_(*cluster_version_)
    {
    }
    ~resource_store() { *all_bytes_ -= bytes_; }
    resource_store(const resource_store&) = delete;
    resource_store& operator=(const resource_store&) = delete;

    resource_info info;

    using map = std::map<std::string, stored, std::less<>>;
    [[nodiscard]] const map& objects() const noexcept { return objects_; }
    [[nodiscard]] stored find(std::string_view key) const;

    /// put() adds or replaces an object, clear() removes all, without a change in the history. Used by a restore.
    void put(stored object)
    {
        ++replacements_;
        objects_.insert_or_assign(object->key, object);
    }
    void clear()
    {
        ++replacements_;
        objects_.clear();
    }
    /// Raised by put() and clear().
    [[nodiscard]] std::uint64_t replacements() const noexcept { return replacements_; }

    /// Applies a change to objects and history.
    void record(change c);

    /// The newest version of the whole cluster, used by lists and bookmarks.
    [[nodiscard]] std::uint64_t cluster_version() const noexcept { return *cluster_version_; }
    /// The oldest version after which the history is complete.
    [[nodiscard]] std::uint64_t floor() const noexcept { return floor_; }
    void compact(std::uint64_t version);
    /// Bytes of the history, without the current objects.
    [[nodiscard]] std::size_t history_bytes() const noexcept { return bytes_; }
    /// Drops the oldest change.
    void forget_oldest_change();

    /// Changes are numbered without gaps: [first, end).
    [[nodiscard]] std::uint64_t first_sequence() const noexcept { return first_; }
    [[nodiscard]] std::uint64_t end_sequence() const noexcept { return first_ + history_.size(); }
    /// The number of the first change after a version.
    [[nodiscard]] std::uint64_t sequence_after(std::uint64_t version) const;
    [[nodiscard]] const change& at(std::uint64_t sequence) const { return *history_[sequence - first_]; }

    /// Events in other forms than those that a change keeps.
    [[nodiscard]] rendered_events& rendered() noexcept { return rendered_; }

    /// Drops the rendered lines of changes, which are in a version that is no longer the stored one.
    void forget_lines();

    /// Returns the objects at a version not below floor(), in list order. Keeps the last result for paging.
    [[nodiscard]] std::shared_ptr<const std::vector<stored>> snapshot(std::uint64_t version) const;

    /// True once the resource is removed (its CustomResourceDefinition was deleted), which ends its watches.
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    void close() noexcept { closed_ = true; }

private:
    map objects_;
    std::uint64_t replacements_ = 0;
    std::deque<std::shared_ptr<const change>> history_;
    rendered_events rendered_;
    std::size_t limit_;
    std::size_t limit_bytes_;
    std::size_t bytes_ = 0;
    std::shared_ptr<const std::uint64_t> cluster_version_;
    std::shared_ptr<std::size_t> all_bytes_;
    std::uint64_t first_ = 0;
    std::uint64_t floor_;
    bool closed_ = false;
    struct kept_snapshot
    {
        std::uint64_t sequence = 0;
        std::shared_ptr<const std::vector<stored>> objects;
    };
    mutable kept_snapshot kept_;
};

/// Returns the range of keys [first, second) of a namespace. Empty ns: all keys.
[[nodiscard]] std::pair<std::string, std::string> key_range(std::string_view ns);

/** The base of an index: brings it up to date when it is asked, by the changes since, or from the beginning if those
    are forgotten or the objects were replaced. Not thread safe: used on the strand of the state. */
class store_follower
{
protected:
    explicit store_follower(std::shared_ptr<const resource_store> store) : store_(std::move(store)) {}
    ~store_follower() = default;
    store_follower(const store_follower&) = delete;
    store_follower& operator=(const store_follower&) = delete;

    /// Call it before each question. An exception (out of memory) leaves the index to start over.
    void follow();

    virtual void clear() = 0;
    /// Adds an object. There is none of its key.
    virtual void put(const stored& object) = 0;
    /// Removes the object of a key, if there is one.
    virtual void erase(const std::string& key) = 0;

private:
    std::shared_ptr<const resource_store> store_;
    /// The number of the next change to follow.
    std::uint64_t next_ = 0;
    std::uint64_t replacements_ = 0;
    bool stale_ = true;
};

} // namespace kubecoro::apiserver
