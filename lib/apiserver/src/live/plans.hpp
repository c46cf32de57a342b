// The decisions of a live cluster: numbers in, numbers out for its controllers, and the next step of a pod on a node.
#pragma once

#include "live/pod_table.hpp"

#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver::live {

/// The pods that a set of equal pods lacks, and those that are too many.
struct set_plan
{
    std::int64_t create = 0;
    /// Names of pods that are too many: those that would be missed least come first.
    std::vector<std::string> remove = {};
};
[[nodiscard]] set_plan plan_set(std::int64_t wanted, const std::vector<const pod_digest*>& pods);

/// One replica set of a deployment.
struct rollout_set
{
    std::int64_t replicas = 0;
    std::int64_t available = 0;
    /// Its pods, those that terminate included.
    std::int64_t pods = 0;
};
/// A deployment: its present set and its old ones, the oldest first.
struct rollout
{
    std::int64_t wanted = 1;
    std::int64_t max_surge = 0;
    std::int64_t max_unavailable = 1;
    /// All old pods go before the first new one comes.
    bool recreate = false;
    rollout_set current = {};
    std::vector<rollout_set> old = {};
};
/// The replicas that its sets should have, in the same order.
struct rollout_plan
{
    std::int64_t current = 0;
    std::vector<std::int64_t> old = {};
};
/// One step of a rolling update, as of a Deployment controller.
[[nodiscard]] rollout_plan plan_rollout(const rollout& r);

/// A number, or a part of `whole` such as "25%".
[[nodiscard]] std::int64_t resolve_share(const boost::json::value* v, std::int64_t whole, bool round_up);

/// The pods of a job.
struct job_state
{
    std::int64_t parallelism = 1;
    /// Empty: any success ends it.
    std::optional<std::int64_t> completions = 1;
    std::int64_t backoff_limit = 6;
    bool suspended = false;
    std::int64_t active = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
};
enum class job_outcome
{
    running,
    complete,
    failed
};
struct job_plan
{
    job_outcome outcome = job_outcome::running;
    std::int64_t create = 0;
    /// How many of the active pods are too many.
    std::int64_t remove = 0;
};
[[nodiscard]] job_plan plan_job(const job_state& s);

/// From a pod's binding to a node until it runs and is ready.
inline constexpr std::chrono::seconds start_after{1};
/// How long a pod runs that does not restart, until it succeeds or fails.
inline constexpr std::chrono::seconds run_for{2};
/// The annotation that lets a pod fail.
inline constexpr std::string_view outcome_annotation = "live.kubecoro.dev/outcome";

/// The next step of a pod.
struct pod_step
{
    /// Its new status; empty: none yet.
    std::optional<boost::json::value> status = {};
    /// When to look again; empty: after a change.
    std::optional<wall_time> when = {};
};

/// @param body  A pod that is bound to a node. @param number  Makes its address.
[[nodiscard]] pod_step next_step(const boost::json::value& body, std::uint32_t number, wall_time now);

} // namespace kubecoro::apiserver::live
