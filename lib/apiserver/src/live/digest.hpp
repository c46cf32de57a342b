// The few facts about a pod that controllers need: a set of thousands is judged without parsing its pods.
#pragma once

#include "objects/stored_object.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace kubecoro::apiserver::live {

/// The phases of a pod, in the order in which a set gives its pods up.
enum class phase
{
    pending,
    running,
    succeeded,
    failed
};

struct pod_digest
{
    std::string ns = {};
    std::string name = {};
    /// The uid of its controller; empty without one.
    std::string owner = {};
    /// The label that says which template it was made from.
    std::string revision = {};
    std::string node = {};
    /// When it was created, as text that sorts by time.
    std::string created = {};
    phase in = phase::pending;
    bool ready = false;
    bool deleting = false;

    /// Whether it counts for the set that it belongs to.
    [[nodiscard]] bool active() const noexcept { return !deleting && (in == phase::pending || in == phase::running); }
};

/// @param body  The pod.
[[nodiscard]] pod_digest digest_of(const boost::json::value& body);

/// The owner reference with controller: true; null without one.
[[nodiscard]] const boost::json::value* controller_of(const boost::json::value& body);

} // namespace kubecoro::apiserver::live
