// The admission plugins Priority and DefaultTolerationSeconds of kube-apiserver.
#pragma once

#include "state/resource_store.hpp"

#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {

/// Follows the priority classes, so that each is parsed once. Not thread safe: used on the strand of the state.
class priority_classes final : store_follower
{
public:
    struct priority
    {
        std::string name = {};
        std::int64_t value = 0;
        /// Empty: not stated.
        std::string preemption = "PreemptLowerPriority";
        bool is_default = false;
    };
    explicit priority_classes(std::shared_ptr<const resource_store> store) : store_follower(std::move(store)) {}

    /// The class of this name; those of the system are there though they are not stored. Empty: there is none.
    [[nodiscard]] std::optional<priority> find(std::string_view name);
    /// The default class, the lowest if there are several. Empty: there is none.
    [[nodiscard]] std::optional<priority> standard();

private:
    void clear() override;
    void put(const stored& object) override;
    void erase(const std::string& key) override;

    std::map<std::string, priority, std::less<>> by_key_;
    /// Values and keys of the classes that are default.
    std::set<std::pair<std::int64_t, std::string>> defaults_;
};

/** Gives a pod its priority and the tolerations that every pod has.

    @param before  The stored pod; null for a new one. @param keep  A manifest from another cluster, whose statements are
    not judged. @return 403 for an unknown class, or a priority that is not that of the class. */
[[nodiscard]] std::optional<status_error> admit_pod(priority_classes& classes, const resource_info& info,
                                                    const boost::json::value* before, boost::json::value& pod,
                                                    bool keep);

/// Taints a new node as one that is not ready, so that it gets no pods before a controller has seen it.
void admit_node(boost::json::value& node);
/// Adds the taint of a node that is not ready, or removes it. @return whether that changed the node.
bool set_not_ready_taint(boost::json::value& node, bool tainted);

/// @return 403 for a second default class.
[[nodiscard]] std::optional<status_error> admit_priority_class(priority_classes& classes, const resource_info& info,
                                                               const boost::json::value& after);

} // namespace kubecoro::apiserver
