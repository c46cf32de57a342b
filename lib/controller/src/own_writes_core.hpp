#pragma once
// Which keys wait until the sources have seen what they wrote.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro {

/// Whether `version` is `wanted` or newer. True when they cannot be compared: nobody waits for what cannot be known.
[[nodiscard]] bool not_behind(std::string_view version, std::string_view wanted) noexcept;

/** The writes of runs that their sources have not shown yet. Sans-io, not thread safe.

    A key with such writes is held back until each has been seen or its moment has passed. All moments lie equally far in
    the future, so they come in the order of add(). */
class own_writes_core
{
public:
    struct write
    {
        std::uint32_t source;
        object_key object;
        std::string version;
    };
    /// A key that was held back and may run.
    struct released
    {
        object_key key;
        int priority;
    };

    /// A run of `key` has written this. Replaces nothing: earlier writes of the key are still waited for.
    void add(object_key_view key, std::vector<write> writes, time_point expiry);
    /// @return whether the key has to wait; it is released later, with the highest priority it was asked for.
    [[nodiscard]] bool hold(object_key_view key, int priority);

    /// The source has shown this object at this version. What is released is appended.
    void seen(std::uint32_t source, object_key_view object, std::string_view version, std::vector<released>& out);
    /// The source shows nothing any more.
    void source_gone(std::uint32_t source, std::vector<released>& out);
    /// Gives up what has waited long enough. @return how many keys were waiting in vain.
    std::size_t expire(time_point now, std::vector<released>& out);
    [[nodiscard]] std::optional<time_point> next_expiry() const;

    /// Keys with writes that were not seen.
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    /// Keys that were held back.
    [[nodiscard]] std::size_t held() const noexcept { return held_; }

private:
    struct entry
    {
        std::vector<write> writes;
        time_point expiry = {};
        std::optional<int> held = {};
    };
    struct moment
    {
        time_point when;
        object_key key;
    };
    using key_map = boost::unordered_flat_map<object_key, entry, object_key_hash, object_key_equal>;

    template<class Shown>
    void drop(object_key_view key, Shown shown, std::vector<released>& out);
    void release(key_map::iterator at, std::vector<released>& out);

    key_map keys_;
    /// The keys that wait for an object, under its name.
    std::unordered_multimap<object_key, object_key> waiting_for_;
    std::deque<moment> moments_;
    std::size_t held_ = 0;
};

} // namespace kubecoro
