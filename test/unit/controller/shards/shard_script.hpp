#pragma once
// A member of a group as a script: answers and times in, steps out.

#include "shards/shard_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

namespace shard_core_test {

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace step = kubecoro::detail::shard_step;

constexpr member_id me = 0x1111;
constexpr member_id other = 0x2222;
constexpr member_id third = 0x3333;

inline shard_core::settings usual()
{
    return {.id = me,
            .holder = "me_1",
            .lease_duration = 15s,
            .renew_deadline = 10s,
            .retry_period = 2s,
            .request_limit = 5s,
            .grace = 20s};
}

/// The n-th of the keys that are divided.
inline object_key key(int n) { return {"shop", "object-" + std::to_string(n)}; }

inline shard_view view_of(std::initializer_list<member_id> members)
{
    shard_view out;
    out.members = members;
    std::sort(out.members.begin(), out.members.end());
    return out;
}

struct script
{
    shard_core core;
    time_point now{1000s};
    int version = 100;
    /// The group as the server has it.
    std::map<member_id, shard_lease> leases = {};

    explicit script(shard_core::settings s = usual()) : core(std::move(s), 1) { core.watched(true); }

    template<class Step>
    Step expect()
    {
        auto next = core.next(now);
        INFO("the step is number " << next.index());
        REQUIRE(std::holds_alternative<Step>(next));
        return std::get<Step>(std::move(next));
    }
    time_point wait_until()
    {
        const auto w = expect<step::wait>();
        REQUIRE(w.until.has_value());
        return *w.until;
    }
    /// Writes a Lease, as its member does.
    shard_lease& write(member_id id, const std::string& holder, shard_view v)
    {
        auto& l = leases[id];
        l.id = id;
        l.resource_version = std::to_string(++version);
        l.record = {holder, 15, "then", "at version " + l.resource_version, 0};
        l.view = std::move(v);
        if (l.uid.empty()) l.uid = "u" + l.resource_version;
        return l;
    }
    void answer_list()
    {
        shard_listing out;
        out.resource_version = std::to_string(version);
        for (const auto& [id, l] : leases) out.leases.push_back(l);
        core.listed(now, out);
    }
    void list()
    {
        expect<step::list>();
        answer_list();
    }
    void accept_create()
    {
        const auto made = expect<step::create>();
        core.written(now, write(me, "me_1", made.view));
    }
    shard_view accept_update()
    {
        const auto made = expect<step::update>();
        core.written(now, write(me, "me_1", made.view));
        return made.view;
    }
    step::assign drain()
    {
        auto a = expect<step::assign>();
        core.drained(a.epoch);
        return a;
    }
    /// Joins, and works on its share.
    shard_share join()
    {
        list();
        accept_create();
        list();
        return drain().share;
    }
};

/// How many of 1,000 keys the share covers.
inline int covered(const shard_share& s)
{
    int n = 0;
    for (int i = 0; i < 1000; ++i) n += s.covers(key(i)) ? 1 : 0;
    return n;
}

} // namespace shard_core_test
