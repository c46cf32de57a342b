// The pods of a live cluster, by key and by controller.
#pragma once

#include "objects/stored_object.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver::live {

/// The phases of a pod, in the order in which a set gives its pods up.
enum class phase
{
    pending,
    running,
    succeeded,
    failed
};

/// The few facts about a pod that controllers need: a set of thousands is judged without parsing its pods.
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

class pod_table
{
public:
    /// Stores what is known of a pod. @return the uid of the controller that it had before.
    std::string put(const std::string& key, pod_digest pod);
    std::string erase(const std::string& key);
    void clear();

    /// The digest of a pod; null for none.
    [[nodiscard]] const pod_digest* find(const std::string& key) const;
    [[nodiscard]] std::vector<const pod_digest*> of(std::string_view owner_uid) const;
    /// Keys of the pods that no node has.
    [[nodiscard]] const std::set<std::string>& unbound() const noexcept { return unbound_; }

private:
    std::map<std::string, pod_digest> pods_;
    std::map<std::string, std::set<std::string>, std::less<>> by_owner_;
    std::set<std::string> unbound_;
};

} // namespace kubecoro::apiserver::live
