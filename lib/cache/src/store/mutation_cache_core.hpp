#pragma once
// Holds own writes that the store may still lack, and decides whether the write or the stored object is newer.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// An object as the server returned it for an own write, or the tombstone of a removed one.
struct own_write
{
    object_key key = {};
    /// Null for a removal.
    object now = {};
    std::string uid = {};
    std::string version = {};
    /// The stored version at the time of the write; used when versions are not comparable.
    std::string stored_then = {};
};

/** The entries of a mutation cache. Sans-io, not thread safe; the time and the stored objects are inputs. */
class mutation_cache_core
{
public:
    mutation_cache_core(duration ttl, std::size_t max_entries);

    /// Keeps the newer of this write and the existing entry of its key.
    void put(own_write w, time_point now);
    void erase(object_key_view key);

    [[nodiscard]] std::optional<own_write> find(object_key_view key, time_point now);
    /// Returns all unexpired entries.
    [[nodiscard]] std::vector<own_write> all(time_point now);
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    struct verdict
    {
        /// The object to show; may be null.
        object show = {};
        /// True when the store has caught up, so that the entry can be dropped.
        bool over = false;
    };
    /// @param passed  True when the watch had passed the write's version before `stored` was read.
    [[nodiscard]] static verdict judge(const own_write& w, const object& stored, bool passed);

private:
    struct entry
    {
        own_write write;
        time_point expires;
        std::uint64_t age;
    };
    duration ttl_;
    std::size_t max_entries_;
    using entry_map = std::map<object_key, entry>;
    void erase(entry_map::iterator at);
    /// Erases what has expired.
    void expire(time_point now);

    entry_map entries_;
    /// By age, which is also the order in which they expire.
    std::map<std::uint64_t, entry_map::iterator> by_age_;
    std::uint64_t next_age_ = 0;
};

} // namespace kubecoro::detail
