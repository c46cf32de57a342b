// The requests and events of a recording as lines, and those that explain the runs of one object.
#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/client/detail/recording.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::tool {

/// A request, or an event of a watch.
struct recorded_step
{
    std::size_t order = 0;
    std::chrono::microseconds at{0};
    std::uint64_t id = 0;
    bool is_event = false;
    /// The verb, or the type of the event.
    std::string verb = {};
    /// Such as "deployments.apps"; for other requests the target.
    std::string resource = {};
    std::string subresource = {};
    std::string ns = {};
    std::string name = {};
    /// The outcome of a request, the version of an event's object.
    std::string outcome = {};
    /// JSON that was sent, or the object of the event.
    std::string body = {};
    /// JSON that was received.
    std::string answer = {};

    /// "configmaps default/one/status".
    [[nodiscard]] std::string key() const;
};

/// An object as users name it: KIND/NAME or KIND/NS/NAME, where KIND is the plural, alone or with its group.
struct recorded_key
{
    std::string resource = {};
    std::string ns = {};
    std::string name = {};

    /// Empty parts fit everything.
    [[nodiscard]] bool fits(const recorded_step& s) const;
};

/// Errors: cond::invalid, naming the text.
[[nodiscard]] result<recorded_key> parse_recorded_key(std::string_view text);

/// All of them, in order. Objects of a streamed or first list are events with the type ADDED or LISTED.
[[nodiscard]] std::vector<recorded_step> steps_of(const std::vector<detail::recorded_exchange>& all);

/// "     1.500  #4 patch configmaps default/one: 200 after 0.002 s"; printable.
[[nodiscard]] std::string line_of(const recorded_step& s);

/** For each run of an object: the event that caused it, with what it changed, and the requests that followed.

    The events of the object, its owners and what it owns count, and requests about them. A recording does not say when a run
    begins: the cause of a request is the last such event before it. */
[[nodiscard]] std::vector<std::string> lines_of_causes(const std::vector<recorded_step>& all, const recorded_key& key);

} // namespace kubecoro::tool
