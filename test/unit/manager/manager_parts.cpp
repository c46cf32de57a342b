// Coroutines and controllers that come, fail, end and go.
#include "manager_fixture.hpp"

#include <algorithm>

using namespace manager_test;

namespace {

reconciled nothing(const typed_object<config_map>&, reconcile_context&) { co_return action::done(); }

} // namespace

TEST_CASE("manager: parts start and stop by stage", "[manager]")
{
    world w;
    lines seen;
    const auto noting = [&](std::string name) {
        return [&, name](latch stop) -> ended {
            seen.push_back("+" + name);
            co_await stop.wait();
            seen.push_back("-" + name);
            co_return result<>{};
        };
    };
    w.m->run("leader", noting("leader"));
    w.m->run("support", noting("support"), {.needs_leadership = false});
    w.m->run("server", noting("server"), {.needs_leadership = false, .needs_informers = false});
    (void)w.m->informer<secret>();
    w.m->start();
    w.run.advance(1s);
    CHECK(seen == lines{"+server", "+support", "+leader"});
    seen.clear();
    CHECK(w.run.run(w.m->stop()));
    CHECK(seen == lines{"-leader", "-support", "-server"});
}

TEST_CASE("manager: the names of what runs are shown, of its controllers too", "[manager]")
{
    world w;
    w.m->control<config_map>(nothing, {.name = "janitor", .running = {.workers = 2}});
    w.m->run("poller", [&w]() -> ended { return sleep_for(w.run.clock(), 1h); });
    CHECK(w.m->tasks().empty());
    w.begin();
    auto tasks = w.m->tasks();
    std::sort(tasks.begin(), tasks.end());
    CHECK(tasks == lines{"controller janitor", "janitor", "manager", "poller", "source configmaps",
                         "worker of controller janitor", "worker of controller janitor"});
    CHECK(w.run.run(w.m->stop()));
    CHECK(w.m->tasks().empty());
}

TEST_CASE("manager: a coroutine that fails or throws ends the manager, and is named", "[manager]")
{
    for (const bool throws : {false, true}) {
        world w;
        w.m->control<config_map>(nothing);
        w.m->run("poller", [&w, throws]() -> ended {
            co_await sleep_for(w.run.clock(), 10s);
            if (throws) throw std::runtime_error("no luck");
            co_return failure(cond::unreachable, "no luck");
        });
        w.begin();
        CHECK_FALSE(w.running->done());
        w.run.advance(10s);
        REQUIRE(w.running->done());
        REQUIRE_FALSE(w.running->outcome());
        const auto text = w.running->outcome().error().describe();
        CHECK(text.find("poller failed") != std::string::npos);
        CHECK(text.find("no luck") != std::string::npos);
    }
}

TEST_CASE("manager: a coroutine that is retried starts again, and ends with the manager", "[manager]")
{
    world w;
    int starts = 0;
    const backoff_policy delays{.initial = 1s, .factor = 2, .cap = 1min, .jitter = 0};
    w.m->run("poller",
             [&]() -> ended {
                 ++starts;
                 co_return failure(cond::unreachable);
             },
             {.retry = delays});
    w.begin();
    w.run.advance(7s); // started at 0, 1, 3, 7
    CHECK(starts == 4);
    CHECK(w.m->stats().parts.at(0).state == part_state::resting);
    CHECK(w.m->stats().parts.at(0).last_failure == cond::unreachable);
    for (const auto* pause : {"1", "2", "4", "8"})
        CHECK(w.log.count("warning a part of the manager failed, and starts again part=poller seconds=" +
                          std::string(pause) + " failure=") == 1);
    CHECK(w.log.count(log_level::error) == 0);
    CHECK(w.run.run(w.m->stop()));
}

TEST_CASE("manager: a coroutine that ends well is forgotten", "[manager]")
{
    world w;
    const auto part = w.m->run("once", []() -> ended { co_return result<>{}; });
    w.begin();
    CHECK(w.m->stats().parts.empty());
    CHECK(w.run.run(part.removed()));
    CHECK_FALSE(w.running->done());
}

TEST_CASE("manager: a coroutine that does not end is cancelled after the grace period, and named", "[manager]")
{
    world w({.grace = 10s});
    w.m->run("stubborn", [&](latch) -> ended { return sleep_for(w.run.clock(), 1h); });
    w.begin();
    const auto before = w.run.clock().now();
    const auto stopped = w.run.run(w.m->stop());
    CHECK(w.run.clock().now() - before == 10s);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error() == cond::timed_out);
    CHECK(stopped.error().message().find("stubborn") != std::string::npos);
    CHECK(w.log.count("did not end in time") == 1);
}

TEST_CASE("manager: runs of a controller get four fifths of the grace period", "[manager]")
{
    world w({.grace = 10s});
    w.put("one");
    w.m->control<config_map>([&](const typed_object<config_map>&, reconcile_context&) -> reconciled {
        const auto slept = co_await sleep_for(w.run.clock(), 1h);
        if (!slept) co_return slept.error();
        co_return action::done();
    });
    w.begin();
    const auto before = w.run.clock().now();
    const auto stopped = w.run.run(w.m->stop());
    CHECK(w.run.clock().now() - before == 8s);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().describe().find("default/one") != std::string::npos);
}

TEST_CASE("manager: parts, sources and informers come and go while it runs", "[manager]")
{
    world w;
    w.put("one");
    w.begin();
    lines seen;
    const auto note = [&](const typed_object<config_map>& o, reconcile_context&) -> reconciled {
        seen.push_back(std::string(o.name()));
        co_return action::done();
    };
    const auto c = w.m->control<config_map>(note);
    w.run.advance(1s);
    CHECK(seen == lines{"one"});

    seen.clear();
    const auto to_one = enqueue_mapped([](const object&, key_sink out) { out("default", "one"); });
    const auto source = c.watch(w.m->informer<secret>(), to_one);
    const secret s{.metadata = {.name = "s"}};
    REQUIRE(w.run.run(w.cluster.resource<secret>("default").create(s)));
    w.run.advance(1s);
    CHECK(seen == lines{"one"});
    CHECK(w.run.run(source.removed()));
    REQUIRE(w.run.run(w.cluster.resource<secret>("default").remove("s")));
    w.run.advance(1s);
    CHECK(seen == lines{"one"});

    CHECK(w.run.run(c.removed()));
    CHECK(w.m->stats().parts.empty());
    w.put("two");
    w.run.advance(1s);
    CHECK(seen == lines{"one"});
    CHECK(w.run.run(c.removed())); // again
    CHECK_FALSE(w.running->done());
}

TEST_CASE("manager: handles outlive it, and say that nothing runs", "[manager]")
{
    world w;
    const auto c = w.m->control<config_map>(nothing);
    const auto r = w.m->run("idle", [&]() -> ended { return sleep_for(w.run.clock(), 1h); });
    w.begin();
    REQUIRE(w.run.run(w.m->stop()));
    w.m.reset();
    c.owns<secret>();
    c.trigger({"default", "one"});
    r.remove();
    CHECK(w.run.run(r.removed()));
    CHECK(managed().name().empty());
    CHECK(managed_controller().owns<secret>().stats().workers == 0);
}

TEST_CASE("manager: one that is destroyed while running says so, and ends", "[manager]")
{
    world w;
    w.m->control<config_map>(nothing);
    w.m->run("idle", [&]() -> ended { return sleep_for(w.run.clock(), 1h); });
    w.m->start();
    w.run.advance(1s);
    w.m.reset();
    w.run.advance(1min);
    CHECK(w.log.count("destroyed while running") == 1);
    CHECK(w.log.count("stopped") >= 1);
}

TEST_CASE("manager: after the release of an informer its kind is declared again, and a controller watches", "[manager]")
{
    world w;
    w.put("one");
    w.m->run("idle", [&w]() -> ended { return sleep_for(w.run.clock(), 1h); });
    w.begin();
    const auto first = w.m->informer<config_map>({.namespaces = {"default"}});
    REQUIRE(w.run.run(first.has_synced()));
    CHECK(w.m->lister<config_map>().size() == 1);
    REQUIRE(w.run.run(w.m->informers().release(first)));
    CHECK_THROWS_AS(w.m->lister<config_map>(), error); // as of any kind that is not declared

    lines seen;
    w.m->control<config_map>([&](const typed_object<config_map>& o, reconcile_context&) -> reconciled {
        seen.push_back(std::string(o.name()));
        co_return action::done();
    });
    w.put("two");
    w.run.advance(1s);
    std::sort(seen.begin(), seen.end());
    CHECK(seen == lines{"one", "two"});
    CHECK(w.m->lister<config_map>().size() == 2);
    CHECK(w.run.run(w.m->stop()));
    CHECK(w.m->lister<config_map>().size() == 2); // that of a manager that has stopped still reads
}

TEST_CASE("manager: a released informer is destroyed", "[manager]")
{
    world w;
    w.m->run("idle", [&w]() -> ended { return sleep_for(w.run.clock(), 1h); });
    w.begin();
    const auto used_by = [&w] {
        const auto token = std::make_shared<int>();
        const auto i = w.m->informer<config_map>({.transform = [token](const object& o) { return o; }});
        REQUIRE(w.run.run(i.has_synced()));
        REQUIRE(w.run.run(w.m->informers().release(i)));
        return std::weak_ptr(token);
    };
    const auto first_of_kind = used_by();
    (void)w.m->informer<config_map>();
    CHECK(first_of_kind.expired());
    const auto another = used_by();
    CHECK(another.expired());
}

TEST_CASE("manager: an informer that is released before it has synced does not delay the start", "[manager]")
{
    world w;
    const auto unknown = w.m->informer(resource_type{"example.io", "v1", "gadgets", "Gadget"});
    lines seen;
    w.m->run("worker", [&]() -> ended {
        seen.emplace_back("started");
        return sleep_for(w.run.clock(), 1h);
    });
    w.begin();
    w.run.advance(10s);
    CHECK(seen.empty());
    REQUIRE(w.run.run(w.m->informers().release(unknown)));
    w.run.advance(10s);
    CHECK(seen == lines{"started"});
}
