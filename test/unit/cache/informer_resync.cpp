// Tests of resyncs: each handler gets the stored objects again at its own period.

#include "synced_fixture.hpp"

#include <new>
#include <string>
#include <utility>
#include <vector>

using namespace informer_test;

namespace {

/// The times at which a handler received web/a again, in seconds since the start.
struct shown
{
    std::vector<int> at;

    kubecoro::event_handler<> handler(fixture& f)
    {
        return {.on_update = [this, &f, begin = f.run.clock().now()](const kubecoro::updated<>& e) {
            if (!e.resync() || e.after.name() != "a") return;
            at.push_back(static_cast<int>(
                std::chrono::duration_cast<std::chrono::seconds>(f.run.clock().now() - begin).count()));
        }};
    }
};

using seconds = std::vector<int>;

} // namespace

TEST_CASE("resync: each handler has its own period, and those without one get none", "[cache][handlers][resync]")
{
    synced_fixture f;
    shown none;
    shown two;
    shown three;
    f.pods.add_event_handler(none.handler(f));
    f.pods.add_event_handler(two.handler(f), {.resync = 2s});
    f.pods.add_event_handler(three.handler(f), {.resync = 3s});
    f.start();
    f.run.advance(6s);
    CHECK(none.at.empty());
    CHECK(two.at == seconds{2, 4, 6});
    CHECK(three.at == seconds{3, 6});
    CHECK(f.source().calls().size() == 2);
}

TEST_CASE("resync: the informer's period is the default of handlers that set none", "[cache][handlers][resync]")
{
    kubecoro::factory_options o;
    o.resync = 12h;
    synced_fixture f(std::move(o));
    shown by_default;
    shown minute;
    shown shorter;
    shown too_short;
    f.pods.add_event_handler(by_default.handler(f));
    f.pods.add_event_handler(minute.handler(f), {.resync = 1min});
    f.pods.add_event_handler(shorter.handler(f), {.resync = 55s});
    f.start();
    f.run.advance(120s);
    f.pods.add_event_handler(too_short.handler(f), {.resync = 10ms});
    f.run.advance(3s);
    CHECK(by_default.at.empty());
    CHECK(minute.at == seconds{60, 120});
    CHECK(shorter.at == seconds{55, 110});
    CHECK(too_short.at == seconds{1, 2, 3}); // since its join
}

TEST_CASE("resync: a period counts from the handler's start, and missed ones are not caught up",
          "[cache][handlers][resync]")
{
    synced_fixture f;
    shown first;
    shown late;
    f.pods.add_event_handler(first.handler(f), {.resync = 10s});
    f.start();
    f.run.advance(7s);
    f.pods.add_event_handler(late.handler(f), {.resync = 10s});
    f.run.advance(12s);
    CHECK(first.at == seconds{10});
    CHECK(late.at == seconds{10});
    f.run.clock().advance(35s); // the program was suspended
    f.settle();
    CHECK(first.at == seconds{10, 54});
    CHECK(late.at == seconds{10, 47});
    f.run.advance(10s);
    CHECK(first.at == seconds{10, 54, 64});
    CHECK(late.at == seconds{10, 47, 57});
}

TEST_CASE("resync: an object changed by a relist is delivered once, in its new state", "[cache][handlers][resync]")
{
    synced_fixture f;
    f.pods.add_event_handler(f.writer(), {.resync = 10s});
    f.start();
    f.take();
    f.watch.send({kt::modified(kt::make_pod("web", "a", "6")), kt::error_event(410, "Expired")});
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "7")}, "8"));
    f.source().on_watch();
    f.run.advance(9s);
    CHECK(f.take() == lines{"updated web/a@1 > 6", "lost web/b@2", "updated web/a@6 > 7"});
    f.run.advance(1s);
    CHECK(f.take() == lines{"resync web/a@7"});
}

TEST_CASE("resync: an object whose change waits to be processed is left alone", "[cache][handlers][resync]")
{
    fixture f;
    bool fails = true;
    kubecoro::informer_options o;
    o.transform = [&fails](const kubecoro::object& obj) {
        if (obj.name() == "b" && std::exchange(fails, false)) throw std::bad_alloc();
        return obj;
    };
    auto pods = f.informers->get<pod>(o);
    auto watch = f.with_one_pod();
    pods.add_event_handler(f.writer(), {.resync = 10s});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.run.advance(9950ms);
    f.take();
    watch.send(kt::added(kt::make_pod("web", "b", "6"))); // is tried again after the resync is due
    f.run.advance(60ms);
    CHECK(f.take().empty());
    watch.send(kt::modified(kt::make_pod("web", "a", "7")));
    f.run.advance(1s);
    CHECK(f.take() == lines{"added web/b@6", "resync web/b@6", "updated web/a@1 > 7"});
}
