#include "plan/run_plan_core.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace kubecoro::testing::detail {
namespace {

constexpr std::array<fault_kind, 4> systematic{fault_kind::dies_before, fault_kind::dies_unanswered,
                                               fault_kind::dies_answered, fault_kind::server_error};

constexpr std::array<fault_kind, 22> at_requests{
    fault_kind::dies_before,       fault_kind::dies_unanswered, fault_kind::dies_answered,  fault_kind::server_error,
    fault_kind::too_many_requests, fault_kind::refused,         fault_kind::quota_exceeded, fault_kind::write_denied,
    fault_kind::answer_lost,       fault_kind::late_request,    fault_kind::watches_cut,    fault_kind::watches_expired,
    fault_kind::late_events,       fault_kind::hidden_event,    fault_kind::stale_start,    fault_kind::conflict,
    fault_kind::child_deleted,     fault_kind::child_changed,   fault_kind::child_held,     fault_kind::touched,
    fault_kind::recreated,         fault_kind::clock_jump};

constexpr std::array<fault_kind, 13> when_settled{
    fault_kind::dies_before,  fault_kind::watches_cut, fault_kind::watches_expired, fault_kind::late_events,
    fault_kind::hidden_event, fault_kind::stale_start, fault_kind::child_deleted,   fault_kind::child_changed,
    fault_kind::child_held,   fault_kind::spec_edited, fault_kind::touched,         fault_kind::recreated,
    fault_kind::clock_jump};

constexpr std::array<fault_kind, 7> lasting{
    fault_kind::quota_exceeded, fault_kind::write_denied, fault_kind::late_request, fault_kind::late_events,
    fault_kind::hidden_event,   fault_kind::stale_start,  fault_kind::child_held};

bool is_in(const auto& kinds, fault_kind k) { return std::find(kinds.begin(), kinds.end(), k) != kinds.end(); }

/// An answer in the server's place may be one, or last as long as an overload.
bool may_last(fault_kind k)
{
    return k == fault_kind::server_error || k == fault_kind::too_many_requests || k == fault_kind::refused;
}

constexpr std::size_t most_acts = 40;
constexpr std::size_t changes_of_a_child = 3;
constexpr duration time_held = std::chrono::seconds{20};
constexpr std::size_t most_faults = 5;
constexpr std::size_t longest_seconds = 90;

} // namespace

std::string_view to_string(fault_kind k) noexcept
{
    switch (k) {
    case fault_kind::dies_before:
        return "the operator ends before it is sent";
    case fault_kind::dies_unanswered:
        return "the operator ends when the server has done it, before the answer arrives";
    case fault_kind::dies_answered:
        return "the operator ends after its answer";
    case fault_kind::server_error:
        return "the server fails";
    case fault_kind::too_many_requests:
        return "the server answers 429";
    case fault_kind::refused:
        return "the connection is refused";
    case fault_kind::quota_exceeded:
        return "a quota is used up";
    case fault_kind::write_denied:
        return "a policy of the cluster denies writes";
    case fault_kind::answer_lost:
        return "the server does it, and the answer is lost";
    case fault_kind::late_request:
        return "it arrives late";
    case fault_kind::watches_cut:
        return "all watches break off";
    case fault_kind::watches_expired:
        return "all watches end with 410";
    case fault_kind::late_events:
        return "events arrive late";
    case fault_kind::hidden_event:
        return "the next event is lost";
    case fault_kind::stale_start:
        return "the operator ends, and starts with an older state";
    case fault_kind::conflict:
        return "another writer changes the object just before";
    case fault_kind::child_deleted:
        return "another user deletes an object of the operator";
    case fault_kind::child_changed:
        return "another user changes an object of the operator";
    case fault_kind::child_held:
        return "another user deletes an object of the operator, which a finalizer holds";
    case fault_kind::spec_edited:
        return "a user changes a property, and changes it back";
    case fault_kind::touched:
        return "a user touches an object";
    case fault_kind::recreated:
        return "a user deletes an object, and creates it again";
    case fault_kind::clock_jump:
        return "the calendar jumps";
    }
    return "";
}

std::string describe(const planned_fault& f)
{
    auto out = f.request == 0 ? std::string("when settled") : "request " + std::to_string(f.request);
    out += ": " + std::string(to_string(f.kind));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(f.lasts).count();
    if (seconds != 0) out += ", " + std::to_string(seconds) + " s";
    return out;
}

std::vector<run_plan> plans_of_all(std::size_t requests, std::size_t children, std::size_t edits)
{
    std::vector<run_plan> out;
    for (std::size_t n = 1; n <= requests; ++n)
        for (const auto kind : systematic) out.push_back({planned_fault{.kind = kind, .request = n}});
    run_plan of_children;
    for (std::size_t n = 0; n < std::min(children, most_acts); ++n) {
        of_children.push_back({.kind = fault_kind::child_deleted, .draw = n});
        of_children.push_back({.kind = fault_kind::child_held, .draw = n, .lasts = time_held});
        for (std::size_t field = 0; field < changes_of_a_child; ++field)
            of_children.push_back({.kind = fault_kind::child_changed, .draw = n + field * children});
    }
    run_plan of_specs;
    for (std::size_t n = 0; n < std::min(edits, most_acts); ++n)
        of_specs.push_back({.kind = fault_kind::spec_edited, .draw = n});
    for (auto* some : {&of_children, &of_specs})
        if (!some->empty()) out.push_back(std::move(*some));
    return out;
}

run_plan draw_plan(std::uint64_t seed, std::size_t requests)
{
    kubecoro::detail::random_source random(seed);
    run_plan out;
    for (auto n = 1 + random() % most_faults; n != 0; --n) {
        planned_fault f;
        const bool settled = random() % 3 == 0;
        f.kind = settled ? when_settled[random() % when_settled.size()] : at_requests[random() % at_requests.size()];
        if (!settled) f.request = 1 + random() % (requests + requests / 4 + 1);
        f.draw = random();
        const auto seconds = 1 + random() % longest_seconds;
        if (is_in(lasting, f.kind) || (may_last(f.kind) && f.draw % 2 == 0)) f.lasts = std::chrono::seconds(seconds);
        if (f.kind == fault_kind::clock_jump) f.lasts = std::chrono::minutes(static_cast<int>(random() % 240) - 120);
        out.push_back(f);
    }
    return out;
}

} // namespace kubecoro::testing::detail
