#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kubecoro {

/** The condition that shared_informer::wait_for waits for: a predicate over the state of one object, with a name for
    error messages.

    The predicate gets a null object when no object of that key exists. It returns true, false, or a failure when
    waiting is pointless; a failure ends the wait. An exception counts as a failure. It runs in the waiting coroutine
    and must depend on the object alone. A regular value. */
class object_condition
{
public:
    /// Whether the object is as wanted, or why it never can be.
    using question = std::function<result<bool>(const object&)>;

    /// @param name  For failures: "on a node".
    object_condition(std::string name, question q) : name_(std::move(name)), question_(std::move(q)) {}
    /// A custom predicate, e.g. `[](const kubecoro::object& o) { return o.generation() > 3; }`.
    template<class F>
        requires(!std::same_as<std::remove_cvref_t<F>, object_condition> &&
                 std::is_invocable_v<std::decay_t<F>&, const object&>)
    object_condition(F&& f) : object_condition("as wanted", question(std::forward<F>(f)))
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

/// Summarises an object in a few words: version, phase, false conditions with their reasons, generations, replicas.
/// Returns "absent" for a null object.
[[nodiscard]] std::string brief_status(const object& o);

/** Common conditions to wait for. Unless noted, a missing object does not meet them. */
namespace conditions {

/// No object of that key exists; with a uid, also met when another object has replaced it.
[[nodiscard]] object_condition deleted(kept_text uid = {});
/// There is an object of that key.
[[nodiscard]] object_condition exists();

/// status.conditions has one of this type with status "True".
[[nodiscard]] object_condition condition_true(kept_text type);
/// status.conditions has one of this type with this status.
[[nodiscard]] object_condition condition_is(kept_text type, kept_text status);
/// status.observedGeneration has reached metadata.generation: the status describes the current spec.
[[nodiscard]] object_condition generation_observed();

/// The CustomResourceDefinition is served. Fails with cond::conflict when its names are not accepted.
[[nodiscard]] object_condition crd_established();

/// The Pod is bound to a node and at least one container runs.
[[nodiscard]] object_condition pod_running();
/// A Pod's condition "Ready" is true.
[[nodiscard]] object_condition pod_ready();
/// The Pod's containers have terminated for good, successfully or not.
[[nodiscard]] object_condition pod_finished();

/// A Job's condition "Complete" is true.
[[nodiscard]] object_condition job_complete();
/// A Job's condition "Failed" is true.
[[nodiscard]] object_condition job_failed();
/// Complete or failed; check the object for which.
[[nodiscard]] object_condition job_finished();

/// Condition "Available" is true for the current spec.
[[nodiscard]] object_condition deployment_available();
/// As `kubectl rollout status`: the current spec is observed, every replica is updated, no old replica is left, and all
/// are available. Fails with cond::timed_out when the deployment has exceeded its progress deadline.
[[nodiscard]] object_condition deployment_rolled_out();
/// As `kubectl rollout status`; a partitioned update is complete when the replicas beyond the partition are updated.
/// Fails with cond::invalid when the update strategy is not RollingUpdate.
[[nodiscard]] object_condition statefulset_rolled_out();

/// Logical AND, OR and NOT of conditions. The first failure of a part is the result.
[[nodiscard]] object_condition all_of(std::vector<object_condition> parts);
/// Any of them. The first failure ends the question.
[[nodiscard]] object_condition any_of(std::vector<object_condition> parts);
/// Its opposite; a failure stays one.
[[nodiscard]] object_condition not_(object_condition part);

} // namespace conditions
} // namespace kubecoro
