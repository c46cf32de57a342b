// The faults of one run: drawn from a seed, named, and reduced.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing::detail {

/// Each begins at one request of the operator, or when the state has settled. docs/guide/proving.md has their semantics.
enum class fault_kind
{
    /// The operator ends before the request is sent.
    dies_before,
    /// It ends when the server has done the request; nobody gets the answer.
    dies_unanswered,
    /// It ends when it has done all that the answer led to at once.
    dies_answered,
    /// 500, 503 or 504, and nothing is done. With a duration: the same for all requests that follow, as for the next four.
    server_error,
    /// 429 with Retry-After, and nothing is done.
    too_many_requests,
    /// The connection is refused.
    refused,
    /// A quota is used up: nothing can be created, 403.
    quota_exceeded,
    /// A policy of the cluster refuses what is written, 403.
    write_denied,
    /// The server does the request, and the connection breaks before the answer.
    answer_lost,
    /// The request arrives late.
    late_request,
    /// All watches break off.
    watches_cut,
    /// All watches end with 410.
    watches_expired,
    /// Events arrive late.
    late_events,
    /// The next event is lost, until all watches end with 410.
    hidden_event,
    /// The operator ends, and reads an older state when it has started again.
    stale_start,
    /// The replica that leads is cut off the server for longer than its Lease lasts, and another one takes over. The request
    /// arrives when it is over.
    handed_over,
    /// Another writer changes the object of the request just before.
    conflict,
    /// Another user deletes an object that the operator has made.
    child_deleted,
    /// Another user changes a field that the operator has written.
    child_changed,
    /// Another user deletes an object that the operator has made, and a finalizer of another writer holds it for a time.
    child_held,
    /// A user changes one property of a custom resource, and changes it back. When the state has settled only.
    spec_edited,
    /// A user touches an object of theirs.
    touched,
    /// A user deletes an object of theirs, and creates it again when it is gone.
    recreated,
    /// The calendar of all jumps.
    clock_jump
};

/// The fault in words, such as "ends before request".
[[nodiscard]] std::string_view to_string(fault_kind k) noexcept;

struct planned_fault
{
    fault_kind kind = fault_kind::dies_before;
    /// The request at which it begins, counted from 1. 0 = when the state has settled.
    std::size_t request = 0;
    /// Decides what is open: which object, which status.
    std::uint64_t draw = 0;
    /// How long it lasts, or how late something is.
    duration lasts{};
    friend bool operator==(const planned_fault&, const planned_fault&) = default;
};

/// "request 4: the operator ends before it is sent".
[[nodiscard]] std::string describe(const planned_fault& f);

using run_plan = std::vector<planned_fault>;

/** Plans that end the operator at each request, in three ways, and let the server fail at it; and plans of users, in which each child
    is deleted and changed, and each property of the custom resources is changed and changed back.

    @param requests, children, edits  Their numbers in the run without faults. @param elects  With hand-overs at each request. */
[[nodiscard]] std::vector<run_plan> plans_of_all(std::size_t requests, std::size_t children, std::size_t edits,
                                                 bool elects);

/// One to five faults. @param requests  Their number in the run without faults. @param elects  A hand-over may be among them.
[[nodiscard]] run_plan draw_plan(std::uint64_t seed, std::size_t requests, bool elects);

/** Leaves out parts as long as what remains still breaks the promise.

    @param breaks  Runs a reduced list. @param budget  Calls that are left; counted down.
    @return  The shortest list found, which `breaks` or is the whole. */
template<class T>
[[nodiscard]] std::vector<T> reduced(std::vector<T> whole, const std::function<bool(const std::vector<T>&)>& breaks,
                                     std::size_t& budget, std::size_t least = 0)
{
    for (std::size_t size = (whole.size() + 1) / 2; size != 0; size /= 2) {
        for (std::size_t at = 0; at < whole.size() && budget != 0;) {
            auto fewer = whole;
            const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, fewer.size() - at)));
            if (fewer.size() < least) break;
            --budget;
            if (breaks(fewer))
                whole = std::move(fewer);
            else
                at += size;
        }
    }
    return whole;
}

} // namespace kubecoro::testing::detail
