// Objects that are cleaned up before they go.
#include "helpers_fixture.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/controller/finalizer.hpp>

using namespace helpers_test;

namespace {

const auto maps = untyped::config_map::resource();
constexpr auto mark = "example.com/cleanup";

struct flow : world
{
    lines ran;
    result<action> cleaned = action::done();
    object shop = make_map();

    result<action> run(const object& found)
    {
        const detail::object_run apply = [this](const object& o,
                                                reconcile_context&) -> asio::awaitable<result<action>> {
            ran.push_back(has_finalizer(o, mark) ? "apply" : "apply without finalizer");
            co_return action::done();
        };
        const detail::object_run cleanup = [this](const object&,
                                                  reconcile_context&) -> asio::awaitable<result<action>> {
            ran.emplace_back("cleanup");
            co_return cleaned;
        };
        reconcile_context context({.log = log.handle(), .time = world::run.shared_clock()});
        auto done = world::run.run(run_with_finalizer(cluster, found, mark, apply, cleanup, context));
        wrote = context.writes().size();
        return done;
    }
    std::size_t wrote = 0;
    object now() { return get(maps, "default", "shop"); }
    void remove() { REQUIRE(world::run.run(cluster.remove(maps, "default", "shop"))); }
};

} // namespace

TEST_CASE("finalizer: is there before the first run, and once", "[controller][finalizer]")
{
    flow f;
    REQUIRE(f.run(f.shop));
    CHECK(f.ran == lines{"apply"});
    CHECK(f.wrote == 1);
    CHECK(has_finalizer(f.now(), mark));
    f.requests();
    REQUIRE(f.run(f.now()));
    f.requests();
    CHECK(f.wrote == 0);
    CHECK(f.ran == lines{"apply", "apply"});
}

TEST_CASE("finalizer: a deleted object is cleaned up, and goes when that is over", "[controller][finalizer]")
{
    flow f;
    REQUIRE(f.run(f.shop));
    f.remove();
    const auto dying = f.now();
    REQUIRE(dying.being_deleted());
    SECTION("at once")
    {
        REQUIRE(f.run(dying));
        CHECK(f.ran == lines{"apply", "cleanup"});
        CHECK_FALSE(f.now());
        REQUIRE(f.run(dying)); // the informer is behind: it is gone
        CHECK(f.ran == lines{"apply", "cleanup", "cleanup"});
    }
    SECTION("not after a failure")
    {
        f.cleaned = failure(cond::unreachable, "not yet");
        CHECK(f.run(dying).error() == cond::unreachable);
        CHECK(f.now());
    }
    SECTION("not while there is more to do")
    {
        f.cleaned = action::requeue_after(1s);
        CHECK(f.run(dying)->after() == 1s);
        CHECK(f.now());
        f.cleaned = terminal(failure(cond::invalid, "never"));
        CHECK(f.run(dying)->hopeless());
        CHECK(f.now());
    }
}

TEST_CASE("finalizer: no cleanup for an object that never had it", "[controller][finalizer]")
{
    flow f;
    auto other = [](boost::json::object& o) { add_finalizer(o, "example.com/other"); };
    const auto held = f.world::run.run(retry_on_conflict(f.cluster, maps, object_key("default", "shop"), other));
    REQUIRE(held);
    f.remove();
    REQUIRE(f.run(f.now()));
    CHECK(f.ran.empty());
    // As an informer that is behind would have it.
    REQUIRE(f.run(held->now));
    CHECK(f.ran.empty());
    CHECK_FALSE(has_finalizer(f.now(), mark));
}

TEST_CASE("finalizer: neither an object that is gone nor its successor is touched", "[controller][finalizer]")
{
    flow f;
    f.remove();
    REQUIRE(f.run(f.shop));
    CHECK(f.ran.empty());
    f.make_map();
    REQUIRE(f.run(f.shop));
    CHECK(f.ran.empty());
    CHECK_FALSE(has_finalizer(f.now(), mark));
    REQUIRE(f.run(object()));
    CHECK(f.ran.empty());
}

TEST_CASE("finalizer: changes of others stay", "[controller][finalizer]")
{
    flow f;
    auto label = [](boost::json::object& o) { set_label(o, "a", "b"); };
    REQUIRE(f.world::run.run(retry_on_conflict(f.cluster, maps, object_key("default", "shop"), label)));
    REQUIRE(f.run(f.shop)); // an older version
    const auto now = f.now();
    CHECK(has_finalizer(now, mark));
    CHECK(now.labels()["a"].as_string() == "b");
}

TEST_CASE("finalizer: a refusal is a failure, and nothing runs", "[controller][finalizer]")
{
    flow f;
    f.net->answers = [](const request& r) { return r.method == "PATCH" ? std::optional<int>(403) : std::nullopt; };
    CHECK(f.run(f.shop).error() == cond::forbidden);
    f.net->answers = [](const request& r) { return r.method == "PATCH" ? std::optional<int>(422) : std::nullopt; };
    CHECK(f.run(f.shop).error() == cond::invalid);
    CHECK(f.ran.empty());
}

TEST_CASE("finalizer: an awaitable keeps the functions that it was made from", "[controller][finalizer]")
{
    flow f;
    reconcile_context context({.log = f.log.handle(), .time = f.world::run.shared_clock()});
    const auto kept = std::make_shared<lines>();
    auto later = [&] {
        auto apply = [kept](const object&, reconcile_context&) -> asio::awaitable<result<action>> {
            kept->emplace_back("apply");
            co_return action::done();
        };
        auto cleanup = [](const object&, reconcile_context&) -> asio::awaitable<result<action>> {
            co_return action::done();
        };
        return run_with_finalizer(f.cluster, f.shop, mark, apply, cleanup, context);
    }();
    CHECK(kept.use_count() == 2);
    REQUIRE(f.world::run.run(std::move(later)));
    CHECK(*kept == lines{"apply"});
}

TEST_CASE("finalizer: of several that are nested the inner one cleans up first, and then the next",
          "[controller][finalizer]")
{
    flow f;
    lines ran;
    result<action> inner_done = action::requeue_after(1s);
    const auto noting = [&ran](std::string what, const result<action>& outcome) {
        return [&ran, &outcome, what](const typed_object<untyped::config_map>&,
                                      reconcile_context&) -> asio::awaitable<result<action>> {
            ran.push_back(what);
            co_return outcome;
        };
    };
    const result<action> done = action::done();
    const auto inner = with_finalizer<untyped::config_map>(f.cluster, "example.com/inner", noting("apply", done),
                                                           noting("inner", inner_done));
    const auto both = with_finalizer<untyped::config_map>(f.cluster, "example.com/outer", inner, noting("outer", done));
    reconcile_context context({.log = f.log.handle(), .time = f.world::run.shared_clock()});
    const auto run = [&] { return f.world::run.run(both(typed_object<untyped::config_map>(f.now()), context)); };
    REQUIRE(run());
    CHECK(ran == lines{"apply"});
    CHECK(has_finalizer(f.now(), "example.com/inner"));
    CHECK(has_finalizer(f.now(), "example.com/outer"));

    f.remove();
    ran.clear();
    REQUIRE(run());
    CHECK(ran == lines{"inner"}); // which is not over
    CHECK(has_finalizer(f.now(), "example.com/outer"));
    inner_done = action::done();
    REQUIRE(run());
    CHECK(ran == lines{"inner", "inner", "outer"});
    CHECK_FALSE(f.now());
}
