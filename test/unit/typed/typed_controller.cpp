// Tests of controllers of kinds with C++ types.
#include "typed_fixture.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <boost/json.hpp>

using namespace typed_test;
using core_v1::secret;

namespace {

controller_options timed(const world& w)
{
    controller_options how;
    how.time = w.run.shared_clock();
    return how;
}

} // namespace

TEST_CASE("typed controller: runs get the object, and none is run for one that is gone", "[typed]")
{
    world w;
    w.put("old", "1");
    lines seen;
    const auto maps = w.informers.get<config_map>();
    controller subject(
        w.run.executor(), maps,
        [&](const typed_object<config_map>& m, reconcile_context&) -> asio::awaitable<result<action>> {
            seen.push_back(std::string(m.name()) + "=" + a_of(m));
            co_return action::done();
        },
        timed(w));
    static_assert(std::is_same_v<decltype(subject), controller<config_map>>);
    w.informers.start();
    subject.start();
    REQUIRE(w.run.run(subject.ready()));
    w.settle();
    w.change("old", "2");
    w.settle();
    w.remove("old");
    w.settle();
    subject.trigger({"default", "never"});
    w.settle();
    CHECK(seen == lines{"old=1", "old=2"});
    CHECK(subject.stats().failed == 0);
    CHECK(w.run.run(subject.stop()));
}

TEST_CASE("typed controller: a key of the wrong scope is a failure that is not retried", "[typed]")
{
    world w;
    const auto reconcile = [](const auto&, reconcile_context&) -> asio::awaitable<result<action>> {
        co_return action::done();
    };
    controller<config_map> maps(w.run.executor(), w.informers.get<config_map>(), reconcile, timed(w));
    controller<core_v1::namespace_> spaces(w.run.executor(), w.informers.get<core_v1::namespace_>(), reconcile,
                                           timed(w));
    w.informers.start();
    maps.start();
    spaces.start();
    REQUIRE(w.run.run(maps.ready()));
    REQUIRE(w.run.run(spaces.ready()));
    w.settle();
    maps.trigger({"default", "never"});
    spaces.trigger({"", "never"});
    w.settle();
    CHECK(maps.stats().terminal + spaces.stats().terminal == 0);
    maps.trigger({"", "never"});
    spaces.trigger({"default", "never"});
    w.run.advance(1h);
    CHECK(maps.stats().terminal == 1);
    CHECK(spaces.stats().terminal == 1);
    CHECK(w.run.run(maps.stop()));
    CHECK(w.run.run(spaces.stop()));
}

TEST_CASE("typed controller: a run keeps its object while it waits", "[typed]")
{
    world w;
    w.put("m", "1");
    lines seen;
    const auto maps = w.informers.get<config_map>();
    controller subject(
        w.run.executor(), maps,
        [&](const typed_object<config_map>& m, reconcile_context&) -> asio::awaitable<result<action>> {
            (void)co_await sleep_for(w.run.clock(), 1min);
            seen.push_back(a_of(m));
            co_return action::done();
        },
        timed(w));
    w.informers.start();
    subject.start();
    REQUIRE(w.run.run(subject.ready()));
    w.settle();
    w.remove("m");
    w.run.advance(2min);
    CHECK(seen == lines{"1"});
    CHECK(w.run.run(subject.stop()));
}

TEST_CASE("typed controller: without a reconciler it ends at the start", "[typed]")
{
    world w;
    w.put("m", "1");
    controller<config_map> subject(w.run.executor(), w.informers.get<config_map>(), {}, timed(w));
    w.informers.start();
    const auto ended = w.run.run(subject.run());
    REQUIRE_FALSE(ended);
    CHECK(ended.error() == cond::misconfigured);
    CHECK(subject.stats().failed == 0);
}

TEST_CASE("typed controller: events are selected, and further sources map to its keys", "[typed]")
{
    world w;
    const auto maps = w.informers.get<config_map>();
    const auto secrets = w.informers.get<secret>();
    std::size_t runs = 0;
    controller subject(w.run.executor(), maps,
                       [&](const typed_object<config_map>&, reconcile_context&) -> asio::awaitable<result<action>> {
                           ++runs;
                           co_return action::done();
                       },
                       timed(w), {.filter = [](const notification<>& n) { return object_of(n).name() != "ignored"; }});
    subject.watch(secrets, enqueue_owner<config_map>());
    subject.watch(secrets, enqueue_mapped<secret>([](const typed_object<secret>& s, key_sink out) {
                      if (s->type() == "example.com/all") out("default", "wanted");
                  }));
    w.informers.start();
    subject.start();
    REQUIRE(w.run.run(subject.ready()));
    w.put("ignored", "1");
    w.put("wanted", "1");
    w.settle();
    CHECK(runs == 1);
    const auto owner = w.run.run(w.maps().get("wanted"));
    REQUIRE(owner);
    boost::json::object owned{{"metadata", {{"name", "owned"}, {"namespace", "default"}}}};
    set_controller_reference(*owner, owned);
    const auto kept = w.cluster.resource<secret>("default");
    REQUIRE(w.run.run(kept.create(boost::json::value(owned))));
    w.settle();
    CHECK(runs == 2);
    const secret for_all{.metadata = {.name = "all"}, .type = "example.com/all"};
    REQUIRE(w.run.run(kept.create(for_all)));
    w.settle();
    CHECK(runs == 3);
    CHECK(w.run.run(subject.stop()));
}
