#pragma once
// Decides which keys wait until the stores have reached what they wrote.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** Tracks the writes of runs that the stores have not reached yet. Sans-io, not thread safe.

    A key with such writes is held back until the store of each has reached the write's version, or the key's wait
    has expired. A place is one namespace of one source: its versions arrive in order, so only the lowest awaited
    version must be watched. The version of a removal is unknown: its wait ends when the store has no such object, or
    another one of that name. All waits have the same length, so they expire in the order of add(). */
class own_writes_core
{
public:
    using place_id = std::uint64_t;
    struct write
    {
        std::uint32_t source;
        std::string ns;
        std::string version;
    };
    struct removal
    {
        std::uint32_t source;
        object_key key;
        std::string uid;
        /// Whether a store that shows the object as being deleted does not show the removal.
        bool entirely = false;
    };
    struct place
    {
        place_id id;
        std::uint32_t source;
        std::string ns;
    };
    /// A key that was held back and may now run.
    struct released
    {
        object_key key;
        int priority;
    };
    /// Changes caused by a call, for the watches of the places.
    struct news
    {
        /// Places to watch from now on, until next() returns nothing.
        std::vector<place> begun = {};
        /// Places whose lowest version may have changed: call next() again.
        std::vector<place_id> changed = {};
    };

    /// Records writes of a run of `key`. Earlier writes of the key remain awaited; versions that cannot be compared are
    /// not awaited.
    [[nodiscard]] news add(object_key_view key, const std::vector<write>& writes, const std::vector<removal>& removals,
                           time_point expiry);
    /// @return whether the key must wait; it is released later, with the highest priority it was requested with.
    [[nodiscard]] bool hold(object_key_view key, int priority);

    /// The lowest version awaited in a place; when there is none, empty, and the place is closed.
    [[nodiscard]] std::optional<std::string> next(place_id id);
    /// Reports that the place shows everything up to this version. Released keys are appended.
    void reached(place_id id, std::string_view version, std::vector<released>& out);
    /// Reports that the place will show nothing more; closes it.
    void give_up(place_id id, std::vector<released>& out);
    /// Whether a removal of that object is awaited. O(1) while none is.
    [[nodiscard]] bool awaits_removal(std::uint32_t source, object_key_view key) const;
    /// Reports what a source has under a key. @param uid  Empty = nothing.
    void shows(std::uint32_t source, object_key_view key, std::string_view uid, bool being_deleted,
               std::vector<released>& out);
    /// Reports that a source will show nothing more, for its removals.
    void give_up_removals(std::uint32_t source, std::vector<released>& out);
    /// Releases keys whose wait has expired. @return the number of waits that timed out.
    [[nodiscard]] std::size_t expire(time_point now, std::vector<released>& out, news& told);
    [[nodiscard]] std::optional<time_point> next_expiry() const;

    /// The places of a source.
    [[nodiscard]] std::vector<place_id> places_of(std::uint32_t source) const;
    /// Number of keys with writes that were not seen.
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    /// Number of keys held back.
    [[nodiscard]] std::size_t held() const noexcept { return held_; }
    /// Number of expiry times stored: one per key.
    [[nodiscard]] std::size_t moments() const noexcept { return moments_.size(); }

private:
    struct in_order
    {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const noexcept;
    };
    using waits = std::multimap<std::string, object_key, in_order>;
    struct watched
    {
        std::uint32_t source;
        std::string ns;
        waits waiting = {};
    };
    using moment = std::pair<time_point, object_key>;
    struct entry
    {
        /// The highest version written in each place.
        std::map<place_id, waits::iterator> writes = {};
        /// The removals that it waits for: source and key.
        std::set<std::pair<std::uint32_t, object_key>> removals = {};
        std::list<moment>::iterator until = {};
        std::optional<int> held = {};
    };
    struct removal_wait
    {
        removal what;
        std::set<object_key> waiting = {};
    };
    template<class T>
    using by_key = boost::unordered_flat_map<object_key, T, object_key_hash, object_key_equal>;
    using key_map = by_key<entry>;
    /// The removals by the key of the removed object: one for each source.
    using removal_map = by_key<std::vector<removal_wait>>;

    [[nodiscard]] place_id place_for(const write& w, news& told);
    void wait(entry& e, const object_key& key, const write& w, news& told);
    void wait(entry& e, const object_key& key, const removal& r);
    template<class Ended>
    void end_removals(removal_map::iterator at, Ended ended, std::vector<released>& out);
    void forget_removals(const object_key& key, const entry& e);
    void end_waits(place_id id, waits::iterator from, waits::iterator to, std::vector<released>& out);
    /// @return whether the key was held.
    bool hand_out(key_map::iterator at, std::vector<released>& out);
    void release(key_map::iterator at, std::vector<released>& out);

    key_map keys_;
    removal_map removals_;
    std::map<place_id, watched> places_;
    std::map<std::pair<std::uint32_t, std::string>, place_id> ids_;
    place_id next_id_ = 1;
    std::list<moment> moments_;
    std::size_t held_ = 0;
};

} // namespace kubecoro::detail
