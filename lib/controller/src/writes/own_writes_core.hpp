#pragma once
// Which keys wait until the stores have reached what they wrote.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The writes of runs that the stores have not reached yet. Sans-io, not thread safe.

    A key with such writes is held back until the store of each has reached the write's version, or the key's moment has
    passed. A place is one namespace of one source: its versions come in order, so that only the lowest that is waited for
    has to be watched. All moments are equally far in the future, so they come in the order of add(). */
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
    struct place
    {
        place_id id;
        std::uint32_t source;
        std::string ns;
    };
    /// A key that was held back and may run.
    struct released
    {
        object_key key;
        int priority;
    };
    /// What a call has changed for those who watch the places.
    struct news
    {
        /// To be watched from now on, until next() says that nothing is waited for.
        std::vector<place> begun = {};
        /// Their lowest version may be another one: ask next() again.
        std::vector<place_id> changed = {};
    };

    /// A run of `key` has written this. Earlier writes of the key are still waited for; versions that cannot be compared
    /// are not.
    [[nodiscard]] news add(object_key_view key, const std::vector<write>& writes, time_point expiry);
    /// @return whether the key has to wait; it is released later, with the highest priority it was asked for.
    [[nodiscard]] bool hold(object_key_view key, int priority);

    /// The lowest version that is waited for in a place; none, and the place is over, when there is none.
    [[nodiscard]] std::optional<std::string> next(place_id id);
    /// The place shows everything up to this version. What is released is appended.
    void reached(place_id id, std::string_view version, std::vector<released>& out);
    /// The place will show nothing any more, and is over.
    void give_up(place_id id, std::vector<released>& out);
    /// Gives up what has waited long enough. @return how many keys waited in vain.
    [[nodiscard]] std::size_t expire(time_point now, std::vector<released>& out, news& told);
    [[nodiscard]] std::optional<time_point> next_expiry() const;

    /// The places of a source.
    [[nodiscard]] std::vector<place_id> places_of(std::uint32_t source) const;
    /// Keys with writes that were not seen.
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    /// Keys that were held back.
    [[nodiscard]] std::size_t held() const noexcept { return held_; }
    /// Moments that are kept: one a key.
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
        /// The highest version of each place.
        std::map<place_id, waits::iterator> writes = {};
        std::list<moment>::iterator until = {};
        std::optional<int> held = {};
    };
    using key_map = boost::unordered_flat_map<object_key, entry, object_key_hash, object_key_equal>;

    [[nodiscard]] place_id place_for(const write& w, news& told);
    void wait(entry& e, const object_key& key, const write& w, news& told);
    void end_waits(place_id id, waits::iterator from, waits::iterator to, std::vector<released>& out);
    void release(key_map::iterator at, std::vector<released>& out);

    key_map keys_;
    std::map<place_id, watched> places_;
    std::map<std::pair<std::uint32_t, std::string>, place_id> ids_;
    place_id next_id_ = 1;
    std::list<moment> moments_;
    std::size_t held_ = 0;
};

} // namespace kubecoro::detail
