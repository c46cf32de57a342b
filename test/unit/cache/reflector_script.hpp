#pragma once
// A scripted driver of reflector_core.

#include "reflector/reflector_core.hpp"
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace reflector_test {

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace kt = kubecoro::testing;

using core = reflector_core;

/// Acts as the driver: performs no I/O and replies as the script says.
struct script
{
    explicit script(reflector_policy policy = {}, reflector_expectation expected = {"Pod", "v1", ""},
                    std::uint64_t seed = 3, std::shared_ptr<watch_list_ability> ability = {})
        : c(policy, std::move(expected), seed, std::move(ability))
    {
    }

    core c;
    time_point now{1h};
    core::action next = core::do_stop{};

    template<class A>
    A as()
    {
        REQUIRE(std::holds_alternative<A>(next));
        return std::get<A>(next);
    }
    list_options start()
    {
        next = c.start(now);
        return as<core::do_list>().options;
    }
    void page(list_page p) { next = c.on_list(std::move(p), now); }
    void list_fails(failure f) { next = c.on_list(std::move(f), now); }
    core::do_replace replaces() { return as<core::do_replace>(); }
    void applied() { next = c.on_applied({}, now); }
    watch_options watches() { return as<core::do_watch>().options; }
    list_options lists() { return as<core::do_list>().options; }
    void opened() { next = c.on_watch_opened({}, now); }
    void refused(failure f) { next = c.on_watch_opened(std::move(f), now); }
    void events(std::vector<watch_event> batch) { next = c.on_events(std::move(batch), now); }
    void ends() { events({}); }
    void ends_early() { next = c.on_ended_early(now); }
    void breaks(failure f) { next = c.on_watch_failed(f, now); }
    duration waits()
    {
        const auto d = as<core::do_wait>().delay;
        next = c.on_wake();
        if (std::holds_alternative<core::do_take_turn>(next)) {
            CHECK(c.state() == informer_state::queued);
            next = c.on_turn(now);
        }
        return d;
    }
    bool reads() const { return std::holds_alternative<core::do_read>(next); }

    /// Synced at `version`, with an open watch.
    void to_watch(std::string version = "5")
    {
        start();
        page(kt::make_page({kt::make_pod("web", "a", "1")}, std::move(version)));
        applied();
        opened();
        REQUIRE(reads());
    }
    std::uint64_t relists(relist_reason r) const { return c.stats().relists[static_cast<std::size_t>(r)]; }
};

inline failure gone() { return kt::server_failure(410, "Expired", "too old resource version: 1 (5)"); }
inline failure not_served()
{
    return kt::server_failure(404, "NotFound", "the server could not find the requested resource");
}
inline failure refused_connection() { return failure(cond::unreachable, "connection refused"); }

} // namespace reflector_test
