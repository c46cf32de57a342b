#pragma once
// A candidate as a script: answers and times in, steps out.

#include "election/leader_election_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace election_core_test {

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace step = kubecoro::detail::election_step;

constexpr const char* me = "this_1";
constexpr const char* other = "other_2";

inline leader_election_core::settings usual()
{
    return {.identity = me,
            .lease_duration = 15s,
            .renew_deadline = 10s,
            .retry_period = 2s,
            .request_limit = 5s,
            .grace = 25s,
            .release = true};
}

struct script
{
    leader_election_core core;
    time_point now{1000s};
    int version = 100;

    explicit script(leader_election_core::settings s = usual()) : core(std::move(s), 1) {}

    template<class Step>
    Step expect()
    {
        auto next = core.next(now);
        INFO("the step is number " << next.index());
        REQUIRE(std::holds_alternative<Step>(next));
        return std::get<Step>(std::move(next));
    }
    /// A Lease as the server has it, with a new version.
    lease_state lease(const char* holder, std::int32_t seconds = 15, std::int32_t transitions = 3)
    {
        ++version;
        lease_state out;
        out.record = {holder, seconds, "then", "at version " + std::to_string(version), transitions};
        out.resource_version = std::to_string(version);
        out.uid = "u";
        return out;
    }
    void answer(const result<lease_state>& a) { core.answered(now, a); }
    void fail(cond c) { answer(failure(c)); }
    /// The answer to a write: what it made of the Lease.
    void accept(const lease_change& what)
    {
        auto stored = lease(what.holder.c_str(), what.duration_seconds, what.transitions);
        answer(stored);
    }
    time_point wait_until()
    {
        const auto w = expect<step::wait>();
        REQUIRE(w.until.has_value());
        return *w.until;
    }
    /// Becomes the leader of a Lease that does not exist.
    step::start_work lead()
    {
        expect<step::get>();
        fail(cond::not_found);
        const auto made = expect<step::create>();
        accept(made.what);
        CHECK(expect<step::announce>().leader == me);
        return expect<step::start_work>();
    }
    failure lost()
    {
        const auto end = expect<step::end_work>();
        REQUIRE(!end.why.has_value());
        expect<step::cancel_work>();
        CHECK(core.phase() == election_phase::lost);
        return end.why.error();
    }
};

} // namespace election_core_test
