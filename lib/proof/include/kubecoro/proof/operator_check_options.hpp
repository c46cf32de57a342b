#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/manager/manager_options.hpp>
#include <kubecoro/proof/operator_report.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing {

namespace detail {

/// Manifests: each a file, a folder of .yaml, .yml and .json files, or the text itself, which has a line break or begins with `{`.
class manifest_list : public text_list
{
public:
    using text_list::text_list;
    /// One of them.
    manifest_list(const char* one) : text_list(std::vector<std::string>{one}) {}
    /// One of them.
    manifest_list(std::string one) : text_list(std::vector<std::string>{std::move(one)}) {}
};

} // namespace detail

/// Reads the cluster of a run, for invariants.
class cluster_view
{
public:
    virtual ~cluster_view() = default;
    /// All objects of a resource, such as "configmaps" or "deployments.apps", in the order of their names. None for an unknown one.
    [[nodiscard]] virtual std::vector<object> objects(std::string_view resource) = 0;
};

/// A finding that is no failure.
struct allowed_finding
{
    /// The oracle that is switched off.
    oracle which = oracle::converges;
    /// Why. Required, and printed.
    std::string because = {};
    /// A part of operator_report::finding::what. Empty = all findings of the oracle.
    std::string about = {};
};

/// Options of check_operator().
struct operator_check_options
{
    /// Definitions of the custom resources, and other objects that are there before the operator starts, and stay. Here and below
    /// each is a file, a folder of .yaml, .yml and .json files, or the text itself.
    detail::manifest_list definitions = {};
    /// Objects that a user creates while the operator runs, and deletes at the end. Those without a namespace go to "default".
    detail::manifest_list objects = {};
    /// Name of the operator, of its service account and of the namespace of that. Empty = "operator".
    std::string name = {};
    /// As in the program. The Lease is used by runs with a hand-over only. Clock, log and seed are the check's.
    manager_options managing = {};
    /// Whether the server plays the controllers and the nodes of a cluster: pods become ready, jobs end.
    bool live = false;
    /// Whether the operator is ended before, during and after each request of the run without faults.
    bool crashes = true;
    /// Further runs, each with faults that its seed draws.
    std::size_t seeds = 100;
    /// The seed of the run without faults. The further runs have those that follow.
    std::uint64_t first_seed = 1;
    /// A state is settled when nothing has moved for this virtual time.
    saturating_duration settle = std::chrono::seconds{30};
    /// Time between the resyncs of informers in the run without faults, which stand for events that change nothing. Other runs
    /// have none: a resync would repair what the operator has missed.
    saturating_duration resync = std::chrono::minutes{10};
    /// Fields that the comparison of states leaves out, such as "status.checkedBy": of all objects, or "configmaps data.time" of
    /// one resource.
    text_list ignored = {};
    /// Findings that are no failures.
    std::vector<allowed_finding> allowed = {};
    /// Called at the beginning of each run. It brings the state of `application` to its first one.
    callback<void()> begin_run = {};
    /// Plays the HTTP service that the operator calls with the client that its set-up function takes: gets a request, returns the
    /// answer. These requests count, get lost and end the operator as those to the API server do.
    std::function<client::raw_answer(const request&)> application = {};
    /// Called after each write, by the operator or another one. A failure is a finding.
    std::function<result<>(cluster_view&)> invariant = {};
    /// Runs that the reduction of one finding may take. The first three findings are reduced. 0 = none.
    std::size_t reductions = 60;
};

} // namespace kubecoro::testing
