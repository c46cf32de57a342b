#pragma once
// Own writes that the store may still lack, and which of the two is newer.

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

/// An object as somebody wrote it, or the mark of one that was removed.
struct own_write
{
    object_key key = {};
    /// Null for a removal.
    object now = {};
    std::string uid = {};
    std::string version = {};
    /// What was stored when it was written; tells versions apart that cannot be compared.
    std::string stored_then = {};
};

/** The entries of a mutation cache. Sans-io, not thread safe; time and what is stored are inputs. */
class mutation_cache_core
{
public:
    mutation_cache_core(duration ttl, std::size_t max_entries);

    /// Keeps the newer of this and what there is of that key.
    void put(own_write w, time_point now);
    void erase(object_key_view key) { entries_.erase(object_key(key)); }

    [[nodiscard]] std::optional<own_write> find(object_key_view key, time_point now);
    /// All that are in force.
    [[nodiscard]] std::vector<own_write> all(time_point now);
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    struct verdict
    {
        /// What to show; may be null.
        object show = {};
        /// The store has caught up: the write is of no more use.
        bool over = false;
    };
    /// @param passed  The watch had passed the write's version before `stored` was read.
    [[nodiscard]] static verdict judge(const own_write& w, const object& stored, bool passed);

private:
    struct entry
    {
        own_write write;
        time_point expires;
        std::uint64_t age;
    };
    void make_room(time_point now);

    duration ttl_;
    std::size_t max_entries_;
    std::map<object_key, entry> entries_;
    std::uint64_t next_age_ = 0;
};

} // namespace kubecoro::detail
