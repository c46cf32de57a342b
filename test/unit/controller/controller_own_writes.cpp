// After its own write a key runs again only when the store shows the write.
#include "controller_fixture.hpp"

#include <kubecoro/test/allocations.hpp>

using namespace controller_test;

namespace {

/// Counts pods in the store at each run; the first run "creates" a pod of version 20.
struct creating
{
    fixture f;
    shared_informer<object> pods;
    kt::scripted_watch watch;
    std::vector<std::size_t> stored;

    explicit creating(controller_options o = {}) : pods(f.informers->get<pod>())
    {
        f.source<pod>().on_list(kt::make_page({}, "10"));
        watch = f.source<pod>().on_watch();
        auto& c = f.make(plain([this](const object_key&, reconcile_context& context) -> run_result {
                             stored.push_back(pods.lister().size());
                             if (stored.size() == 1) context.wrote(kt::make_pod("web", "made", "20"));
                             return action::done();
                         }),
                         std::move(o));
        c.watch(pods, enqueue_mapped([](const object&, key_sink) {}));
    }

    /// The first run has written; a second run of the key is requested.
    void begin()
    {
        f.begin();
        f.subject->trigger({"app", "shop"});
        f.settle();
        REQUIRE(stored.size() == 1);
        f.subject->trigger({"app", "shop"}, priority::high);
        f.settle();
    }
};

} // namespace

TEST_CASE("controller: after its own write a key's next run waits until the store shows it", "[controller]")
{
    creating t;
    t.begin();
    CHECK(t.stored.size() == 1);
    CHECK(t.f.subject->stats().behind_own_writes == 1);
    CHECK(t.f.subject->stats().queue.processing == 0);
    t.f.subject->trigger({"app", "other"}); // no other key waits
    t.f.settle();
    CHECK(t.stored.size() == 2);
    t.watch.send(kt::added(kt::make_pod("web", "unrelated", "15")));
    t.f.settle();
    CHECK(t.stored.size() == 2);
    t.watch.send(kt::added(kt::make_pod("web", "made", "20")));
    t.f.settle();
    CHECK(t.stored == std::vector<std::size_t>{0, 0, 2});
    CHECK(t.f.subject->stats().behind_own_writes == 0);
    CHECK(t.f.subject->stats().own_write_timeouts == 0);
    t.f.run.advance(1min);
    CHECK(t.stored.size() == 3);
}

TEST_CASE("controller: the wait for an own write is limited, counted and logged", "[controller]")
{
    creating t({.own_write_wait = 5s});
    t.begin();
    t.f.run.advance(4s);
    CHECK(t.stored.size() == 1);
    t.f.run.advance(1s);
    CHECK(t.stored.size() == 2);
    CHECK(t.f.subject->stats().own_write_timeouts == 1);
    CHECK(t.f.number("kubecoro_controller_own_write_timeouts_total") == 1);
    CHECK(t.f.log.count("did not show the runs") == 1);
}

TEST_CASE("controller: keys that wait for an own write end with the controller when memory runs out as the wait ends",
          "[controller][memory][ends]")
{
    fixture f;
    const auto pods = f.informers->get<pod>();
    f.source<pod>().on_list(kt::make_page({}, "10"));
    const auto watch = f.source<pod>().on_watch();
    std::size_t runs = 0;
    bool armed = true;
    controller_options o{.own_write_wait = 5s};
    o.time = f.run.shared_clock();
    o.log = logger([&](const log_record& line) {
        const bool expires = line.message.find("did not show") != std::string_view::npos;
        if (expires && std::exchange(armed, false)) kubecoro::test::fail_allocation(1); // that of the first key's copy
    });
    f.subject = std::make_unique<controller<object>>(
        f.run.executor(), plain([&](const object_key& key, reconcile_context& context) -> run_result {
            if (++runs <= 2) context.wrote(kt::make_pod("web", "made", key.name.back() == '1' ? "20" : "21"));
            return action::done();
        }),
        std::move(o));
    f.subject->watch(pods, enqueue_mapped([](const object&, key_sink) {}));
    f.begin();
    for (int times = 0; times < 2; ++times)
        for (const char* end : {"1", "2"}) {
            f.subject->trigger({"app", std::string(100, 'x') + end}); // is copied with an allocation
            f.settle();
        }
    REQUIRE(runs == 2);
    f.run.advance(5s);
    kubecoro::test::fail_allocation(0);
    CHECK_FALSE(armed);
    f.run.advance(5s);
    CHECK(f.subject->stats().phase == controller_phase::stopped);
    REQUIRE(f.subject->stats().ended_by);
    CHECK(f.subject->stats().ended_by->describe().find("bad_alloc") != std::string::npos);
}

TEST_CASE("controller: no wait when disabled, for kinds without a source, and for writes already stored",
          "[controller]")
{
    creating off({.own_write_wait = 0s});
    off.begin();
    CHECK(off.stored.size() == 2);

    fixture f;
    auto [pods, watch] = f.pods({kt::make_pod("web", "a", "9")});
    int runs = 0;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        ++runs;
        context.wrote(config_map::resource(), {"web", "a"}, "99");
        context.wrote(kt::make_pod("web", "a", "9"));
        context.wrote(pod::resource(), {"web", "gone"}, "10");
        return action::done();
    }));
    c.watch(pods, enqueue_object());
    f.begin();
    CHECK(runs == 1);
    c.trigger({"web", "a"});
    f.settle();
    CHECK(runs == 2);
}

TEST_CASE("controller: a deletion and the end of the source end the wait as well", "[controller]")
{
    creating deleting;
    deleting.begin();
    deleting.watch.send({kt::added(kt::make_pod("web", "made", "19"))});
    deleting.f.settle();
    CHECK(deleting.stored.size() == 1);
    deleting.watch.send({kt::deleted(kt::make_pod("web", "made", "21"))});
    deleting.f.settle();
    CHECK(deleting.stored.size() == 2);

    creating ending;
    ending.begin();
    CHECK(ending.f.run.run(ending.f.informers->stop()).has_value());
    ending.f.settle();
    CHECK(ending.stored.size() == 2);
}

TEST_CASE("controller: a write that the source does not show is awaited until its store has passed it", "[controller]")
{
    // The object is never shown: a selector hides it, or it was deleted before the watch began.
    for (const bool by_bookmark : {false, true}) {
        creating t;
        t.begin();
        CHECK(t.stored.size() == 1);
        if (by_bookmark)
            t.watch.send(kt::bookmark("20"));
        else
            t.watch.send(kt::added(kt::make_pod("web", "other", "21")));
        t.f.settle();
        CHECK(t.stored.size() == 2);
        CHECK(t.f.subject->stats().own_write_timeouts == 0);
    }
}

namespace {

/// A controller whose runs write pods of these versions into a namespace; its source covers only "web".
struct elsewhere
{
    fixture f;
    int runs = 0;

    explicit elsewhere(const char* written_in)
    {
        auto& web = *f.provider->source(pod::resource(),
                                        {.ns = "web", .label_selector = {}, .field_selector = {}, .decode = {}});
        web.on_list(kt::make_page({}, "10"));
        (void)web.on_watch();
        auto& c = f.make(plain([this, written_in](const object_key&, reconcile_context& context) -> run_result {
            ++runs;
            context.wrote(pod::resource(), {written_in, "made"}, "20");
            return action::done();
        }));
        c.watch(f.informers->get<pod>({.namespaces = {"web"}}), enqueue_mapped([](const object&, key_sink) {}));
        f.begin();
        c.trigger({"app", "shop"});
        f.settle();
        c.trigger({"app", "shop"});
        f.settle();
    }
};

} // namespace

TEST_CASE("controller: a write outside the namespaces of a source is not awaited", "[controller]")
{
    CHECK(elsewhere("web").runs == 1);
    const elsewhere other("jobs");
    CHECK(other.runs == 2);
    CHECK(other.f.subject->stats().own_write_timeouts == 0);
}

TEST_CASE("controller: removing a namespace from a source ends the waits for its writes", "[controller]")
{
    elsewhere t("web");
    CHECK(t.runs == 1);
    const auto informer = t.f.informers->get<pod>({.namespaces = {"web"}});
    const auto left = t.f.run.spawn(informer.remove_namespace("web"));
    t.f.settle();
    CHECK(left.done());
    CHECK(t.runs == 2);
}

TEST_CASE("controller: a source that ends together with a run leaves no write waiting", "[controller]")
{
    // The source is removed `steps` handlers after the run's end.
    for (std::size_t steps = 0; steps < 40; ++steps) {
        CAPTURE(steps);
        fixture f;
        int runs = 0;
        auto [pods, watch] = f.pods({});
        auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
                             ++runs;
                             if (runs == 1) context.wrote(kt::make_pod("web", "made", "20"));
                             return action::done();
                         }),
                         {.own_write_wait = duration::max()});
        const auto source = c.watch(pods, enqueue_mapped([](const object&, key_sink) {}));
        f.begin();
        c.trigger({"app", "shop"});
        f.run.step(steps);
        source.remove();
        c.trigger({"app", "shop"});
        f.settle();
        CHECK(c.stats().behind_own_writes == 0);
        CHECK(runs >= 1);
        c.trigger({"app", "shop"});
        f.settle();
        CHECK(runs >= 2);
    }
}
