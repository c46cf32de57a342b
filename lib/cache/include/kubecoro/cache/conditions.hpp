#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** What shared_informer::wait_for waits for: a question about the state of one object, with a name for failures.

    The question gets a null object when there is none of that key. It answers yes or no, or with a failure when waiting on
    is pointless, which ends the wait with it; what it throws counts as such. It runs on the waiting coroutine's side
    and must depend on the object alone. A regular value. */
class object_condition
{
public:
    /// Whether the object is as wanted, or why it never can be.
    using question = std::function<result<bool>(const object&)>;

    /// @param name  For failures: "on a node".
    object_condition(std::string name, question q) : name_(std::move(name)), question_(std::move(q)) {}
    /// A question of your own, e.g. `[](const kubecoro::object& o) { return o.generation() > 3; }`.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, object_condition> &&
                 std::is_invocable_v<std::decay_t<F>&, const object&>)
    object_condition(F&& f) : object_condition("the condition", question(std::forward<F>(f)))
    {
    }

    /// Asks about one state; null = there is no object.
    [[nodiscard]] result<bool> operator()(const object& o) const;
    /// The name, as failures show it.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
    question question_;
};

/// As object_condition's question, about an event.
using notification_condition = std::function<result<bool>(const notification&)>;

/// What there is to say of an object in a few words: version, phase, conditions that do not hold and why, generations,
/// replicas. "not there" for a null one.
[[nodiscard]] std::string brief_status(const object& o);

/** The usual things to wait for. Unless they say otherwise, an object that is not there does not meet them. */
namespace conditions {

/// There is none of that key; with a uid also when another object has taken its place.
[[nodiscard]] object_condition deleted(std::string uid = {});
/// There is an object of that key.
[[nodiscard]] object_condition exists();

/// status.conditions has one of this type with status "True".
[[nodiscard]] object_condition condition_true(std::string type);
/// status.conditions has one of this type with this status.
[[nodiscard]] object_condition condition_is(std::string type, std::string status);
/// status.observedGeneration has reached metadata.generation: the status speaks of the present spec.
[[nodiscard]] object_condition generation_observed();

/// A CustomResourceDefinition is served. Fails with cond::conflict when its names are not accepted.
[[nodiscard]] object_condition crd_established();

/// A Pod has been put on a node and at least one container runs.
[[nodiscard]] object_condition pod_running();
/// A Pod's condition "Ready" is true.
[[nodiscard]] object_condition pod_ready();
/// Its containers have ended for good, well or badly.
[[nodiscard]] object_condition pod_finished();

/// A Job's condition "Complete" is true.
[[nodiscard]] object_condition job_complete();
/// A Job's condition "Failed" is true.
[[nodiscard]] object_condition job_failed();
/// Complete or failed: ask the object which.
[[nodiscard]] object_condition job_finished();

/// condition "Available" is true, for the present spec.
[[nodiscard]] object_condition deployment_available();
/// As `kubectl rollout status`: the present spec was observed, every replica is of it, none of the old ones is left, and all
/// are available. Fails with cond::timed_out when the deployment has exceeded its progress deadline.
[[nodiscard]] object_condition deployment_rolled_out();
/// As `kubectl rollout status`; a partitioned update is done when the replicas beyond the partition are updated. Fails with
/// cond::invalid when the update strategy is not RollingUpdate.
[[nodiscard]] object_condition statefulset_rolled_out();

/// Each of them, any of them, not that one. The first failure ends the question.
[[nodiscard]] object_condition all_of(std::vector<object_condition> parts);
/// Any of them. The first failure ends the question.
[[nodiscard]] object_condition any_of(std::vector<object_condition> parts);
/// Its opposite; a failure stays one.
[[nodiscard]] object_condition not_(object_condition part);

} // namespace conditions
} // namespace kubecoro
