// Runs see what earlier runs of their key wrote through the manager's client, without naming it.
#include "manager_fixture.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/struct_edit.hpp>

using namespace manager_test;

namespace {

const object_key made("default", "made");

/// A controller of the namespace "default" whose runs read config maps by a lister only, and whose watch of them is held up.
struct behind : world
{
    /// The config map that each run saw.
    lines seen;

    bool begun = false;

    /// @param act  A coroutine function of (client), called by the first run.
    template<class F>
    void reconcile(F act)
    {
        auto looking = [this, act, maps = m->lister<config_map>()](const typed_object<namespace_>& n,
                                                                   reconcile_context&) -> reconciled {
            if (n.name() != "default" || !begun) co_return action::done();
            const auto stored = maps.get(made);
            seen.push_back(stored ? "there" : "none");
            if (seen.size() > 1) co_return action::done();
            KUBECORO_TRY(co_await act(m->client()));
            co_return action::done();
        };
        auto controlled = m->control<namespace_>(std::move(looking));
        begin();
        // The next watch of config maps brings nothing.
        faults->add({.what = kt::fault::stall(0), .target = "/configmaps?"});
        faults->cut_open();
        run.advance(5s);
        REQUIRE(faults->so_far().stalled == 1);
        begun = true;
        for (int i = 0; i < 2; ++i) {
            controlled.trigger({"", "default"});
            run.advance(1s);
        }
        CHECK(controlled.stats().behind_own_writes == seen.size() % 2);
    }
    /// The watch breaks, and the next one shows everything.
    void catch_up()
    {
        faults->cut_open();
        run.advance(5s);
    }
};

ended create_it(client c)
{
    const auto done = co_await create_or_update<config_map>(c, made, [](config_map& m) { m.data["a"] = "1"; });
    if (!done) co_return done.error();
    co_return result<>{};
}

ended remove_it(client c)
{
    const auto maps = c.resource<config_map>("default");
    const auto gone = co_await maps.remove("made");
    if (!gone) co_return gone.error();
    co_return result<>{};
}

} // namespace

TEST_CASE("manager: after a write through its client a key waits until the informer of that kind shows it", "[manager]")
{
    behind w;
    w.reconcile(create_it);
    CHECK(w.seen == lines{"none"});
    w.catch_up();
    CHECK(w.seen == lines{"none", "there"});
}

TEST_CASE("manager: so it does after a removal", "[manager]")
{
    behind w;
    w.put("made");
    w.reconcile(remove_it);
    CHECK(w.seen == lines{"there"});
    w.catch_up();
    CHECK(w.seen == lines{"there", "none"});
}

TEST_CASE("manager: the wait for a removal is limited", "[manager]")
{
    behind w;
    w.put("made");
    w.reconcile(remove_it);
    w.run.advance(10s);
    CHECK(w.seen == lines{"there", "there"});
}

TEST_CASE("manager: writes of what a run spawns count, and those of a deadline's coroutine", "[manager]")
{
    behind w;
    w.reconcile(
        [&w](client c) -> ended { co_return co_await with_timeout(w.run.clock(), 5s, "create", create_it(c)); });
    CHECK(w.seen == lines{"none"});
    w.catch_up();
    CHECK(w.seen == lines{"none", "there"});
}

TEST_CASE("manager: what the server only tries, and writes of kinds without an informer, are not awaited", "[manager]")
{
    behind w;
    w.reconcile([](client c) -> ended {
        const config_map tried{.metadata = {.name = "made"}};
        const auto maps = c.resource<config_map>("default");
        KUBECORO_TRY(co_await maps.create(tried, {.dry_run = true}));
        const secret hidden{.metadata = {.name = "made"}};
        const auto secrets = c.resource<secret>("default");
        KUBECORO_TRY(co_await secrets.create(hidden));
        co_return result<>{};
    });
    CHECK(w.seen == lines{"none", "none"});
}
