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
    constexpr auto names =
        std::to_array<std::string_view>({"the operator ends before it is sent",
                                         "the operator ends when the server has done it, before the answer arrives",
                                         "the operator ends after its answer",
                                         "the server fails",
                                         "the server answers 429",
                                         "the connection is refused",
                                         "a quota is used up",
                                         "a policy of the cluster denies writes",
                                         "the server does it, and the answer is lost",
                                         "it arrives late",
                                         "all watches break off",
                                         "all watches end with 410",
                                         "events arrive late",
                                         "the next event is lost",
                                         "the operator ends, and starts with an older state",
                                         "the leader is cut off, and another replica takes over",
                                         "another writer changes the object just before",
                                         "another user deletes an object of the operator",
                                         "another user changes an object of the operator",
                                         "another user deletes an object of the operator, which a finalizer holds",
                                         "a user changes a property, and changes it back",
                                         "a user touches an object",
                                         "a user deletes an object, and creates it again",
                                         "the calendar jumps"});
    static_assert(names.size() == static_cast<std::size_t>(fault_kind::clock_jump) + 1);
    return names[static_cast<std::size_t>(k)];
}

std::string describe(const planned_fault& f)
{
    auto out = f.request == 0 ? std::string("when settled") : "request " + std::to_string(f.request);
    out += ": " + std::string(to_string(f.kind));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(f.lasts).count();
    if (seconds != 0) out += ", " + std::to_string(seconds) + " s";
    return out;
}

std::vector<run_plan> plans_of_all(std::size_t requests, std::size_t children, std::size_t edits, bool elects)
{
    std::vector<run_plan> out;
    for (std::size_t n = 1; n <= requests; ++n) {
        for (const auto kind : systematic) out.push_back({planned_fault{.kind = kind, .request = n}});
        if (elects) out.push_back({planned_fault{.kind = fault_kind::handed_over, .request = n, .lasts = time_held}});
    }
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

run_plan draw_plan(std::uint64_t seed, std::size_t requests, bool elects)
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
    if (elects && random() % 3 == 0) {
        const auto n = random() % (requests + 1);
        out.push_back(
            {.kind = fault_kind::handed_over, .request = n, .lasts = std::chrono::seconds(random() % longest_seconds)});
    }
    return out;
}

} // namespace kubecoro::testing::detail
