// Coroutines of the program that tamper with the state of the chain in which a loop of the library awaits them: the loop
// still ends with its stop, and what it awaits next can be cancelled.
#include "callers.hpp"

#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/subscription.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/parallelize.hpp>
#include <kubecoro/controller/periodic.hpp>
#include <kubecoro/endpoints/access_filter.hpp>
#include <kubecoro/endpoints/health_checks.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/tampering.hpp>

using namespace callers_test;
using kubecoro::test::caller_after;
using kubecoro::test::tamper;
using kubecoro::test::ways_to_tamper;

namespace {

/// The first call tampers; the others sleep for ever: only the throw of a co_await ends them.
struct user
{
    world& w;
    tamper how = tamper::finish;
    unsigned calls = 0;

    asio::awaitable<result<>> operator()()
    {
        if (++calls == 1) {
            (void)co_await sleep_for(w.run.clock(), 1s);
            KUBECORO_TEST_TAMPER(how);
            co_return result<>{};
        }
        for (;;) (void)co_await sleep_for(w.run.clock(), 1h);
    }
};

void put_two(world& w)
{
    (void)w.must(w.cluster.resource<config_map>("default").create(config_map{.metadata = {.name = "two"}}));
}

/// Awaits `stop`, which has to end within a second.
void ends_soon(world& w, asio::awaitable<result<>> stop)
{
    const auto stopping = w.run.spawn(std::move(stop));
    w.run.advance(1s);
    CHECK(stopping.done());
}

/// Cancels the caller of a loop at different times.
void ends_by_cancellation(const std::function<asio::awaitable<result<>>(user&)>& loop, unsigned calls = 2)
{
    for (const auto how : ways_to_tamper) {
        for (const std::size_t handlers : {0, 1, 2, 4, 8, 30}) {
            world w;
            user u{.w = w, .how = how};
            INFO("cancelled after " << handlers << " handlers");
            const auto call = [&](caller_after& seen) {
                return kubecoro::test::await_then_sleep(w.run.clock(), loop(u), seen);
            };
            CHECK(kubecoro::test::left_by(w, call, handlers) == "");
            if (handlers == 0) CHECK(u.calls >= calls);
        }
    }
}

class tampering_sink final : public reflector_sink
{
public:
    explicit tampering_sink(user& u) : user_(u) {}
    asio::awaitable<result<>> replace(std::vector<object>, std::string, std::vector<left_out_object>) override
    {
        return user_();
    }
    asio::awaitable<result<>> apply(std::vector<delta>, std::string) override { return user_(); }

private:
    user& user_;
};

/// A source whose watches tamper.
class tampering_source final : public list_watch_source
{
public:
    explicit tampering_source(user& u) : user_(u) {}
    asio::awaitable<result<list_page>> list(list_options) override
    {
        list_page none;
        none.resource_version = "5";
        co_return none;
    }
    asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options) override
    {
        co_return std::make_unique<stream>(user_);
    }
    [[nodiscard]] std::string describe() const override { return "a source that tampers"; }

private:
    class stream final : public watch_stream
    {
    public:
        explicit stream(user& u) : user_(u) {}
        asio::awaitable<result<std::vector<watch_event>>> next() override
        {
            (void)co_await user_();
            co_return std::vector<watch_event>(); // the watch has ended, and the next one begins
        }

    private:
        user& user_;
    };
    user& user_;
};

class indifferent_sink final : public reflector_sink
{
public:
    asio::awaitable<result<>> replace(std::vector<object>, std::string, std::vector<left_out_object>) override
    {
        co_return result<>{};
    }
    asio::awaitable<result<>> apply(std::vector<delta>, std::string) override { co_return result<>{}; }
};

} // namespace

TEST_CASE("tampering: handlers", "[callers]")
{
    const std::size_t concurrency = GENERATE(1, 2);
    for (const auto how : ways_to_tamper) {
        world w;
        user u{.w = w, .how = how};
        w.maps.add_event_handler({.on_add = [&u](added<config_map>) -> asio::awaitable<result<>> { return u(); },
                                  .concurrency = concurrency});
        w.run.advance(5s);
        put_two(w);
        w.run.advance(5s);
        CHECK(u.calls == 2);
        ends_soon(w, w.informers->stop());
    }
}

TEST_CASE("tampering: a handler that is removed", "[callers]")
{
    for (const auto how : ways_to_tamper) {
        world w;
        user u{.w = w, .how = how};
        auto added_by_user =
            w.maps.add_event_handler({.on_add = [&u](added<config_map>) -> asio::awaitable<result<>> { return u(); }});
        w.run.run_until_idle();
        REQUIRE(u.calls == 1);
        put_two(w);
        added_by_user.remove();
        w.run.advance(5s);
        CHECK(u.calls == 1);
        ends_soon(w, added_by_user.removed());
    }
}

TEST_CASE("tampering: the function of for_each()", "[callers]")
{
    ends_by_cancellation([](user& u) {
        auto& w = u.w;
        auto& events = w.keep(std::make_shared<subscription<config_map>>(w.maps.subscribe()));
        put_two(w);
        return events.for_each([&u](const notification<config_map>&) -> asio::awaitable<result<>> { return u(); });
    });
}

TEST_CASE("tampering: the pieces of parallelize()", "[callers]")
{
    ends_by_cancellation([](user& u) {
        return parallelize(
            3, [&u](std::size_t) { return u(); }, 1);
    });
}

TEST_CASE("tampering: after a cancellation that a piece has swallowed, no other begins", "[callers]")
{
    world w;
    user u{.w = w, .how = tamper::forget};
    const auto working = w.run.spawn(parallelize(
        3, [&u](std::size_t) { return u(); }, 1));
    w.run.run_until_idle();
    REQUIRE(u.calls == 1);
    working.cancel();
    w.run.advance(1h);
    CHECK(working.done());
    CHECK(u.calls == 1);
}

TEST_CASE("tampering: a periodic job", "[callers]")
{
    const auto limit = GENERATE(as<duration>(), 0s, 100h);
    ends_by_cancellation([&](user& u) {
        periodic_options how{.name = "job"};
        how.period = 1min;
        how.deadline = limit;
        how.first_after = duration(0);
        how.time = u.w.run.shared_clock();
        how.log = logger::silent();
        how.seed = 1;
        return every(std::move(how), [&u] { return u(); });
    });
}

TEST_CASE("tampering: reconcilers", "[callers]")
{
    const auto limit = GENERATE(as<duration>(), 0s, 100h);
    for (const auto how : ways_to_tamper) {
        world w;
        user u{.w = w, .how = how};
        controller_options o{.name = "subject"};
        o.deadline = limit;
        o.time = w.run.shared_clock();
        o.log = logger::silent();
        const auto reconcile = [&u](const object_key&, reconcile_context&) -> asio::awaitable<result<action>> {
            (void)co_await u();
            co_return action::done();
        };
        controller<object> subject(w.run.executor(), reconcile, std::move(o));
        subject.watch(w.maps.untyped(), enqueue_object());
        put_two(w);
        subject.start();
        w.run.advance(5s);
        CHECK(u.calls == 2);
        subject.request_stop_at_once();
        ends_soon(w, subject.stop());
    }
}

TEST_CASE("tampering: health checks", "[callers]")
{
    const auto limit = GENERATE(as<duration>(), 0s, 100h);
    ends_by_cancellation([&](user& u) -> asio::awaitable<result<>> {
        health_options o;
        o.time = u.w.run.shared_clock();
        o.log = logger::silent();
        const health_checks checks(std::move(o));
        (void)checks.add_ready(
            "first", [&u] { return u(); }, limit);
        (void)checks.add_ready(
            "second", [&u] { return u(); }, limit);
        (void)co_await checks.run(health_probe::ready, checks.names(health_probe::ready));
        co_return result<>{};
    });
}

TEST_CASE("tampering: what an access filter asks", "[callers]")
{
    ends_by_cancellation(
        [](user& u) -> asio::awaitable<result<>> {
            access_filter_options o;
            o.time = u.w.run.shared_clock();
            const access_filter filter(
                [&u](std::string, std::string) -> asio::awaitable<result<access_verdict>> {
                    (void)co_await u();
                    co_return failure(cond::unreachable);
                },
                std::move(o));
            (void)co_await filter.check("a token", "/metrics");
            co_return result<>{};
        },
        1);
}

TEST_CASE("tampering: the sink of a reflector", "[callers]")
{
    ends_by_cancellation([](user& u) {
        auto& w = u.w;
        auto& subject = w.keep(std::make_shared<reflector>(w.cluster, config_map::resource(), reflector_options{},
                                                           std::make_shared<tampering_sink>(u)));
        (void)w.run.spawn([](world& of) -> asio::awaitable<result<>> {
            (void)co_await sleep_for(of.run.clock(), 5s);
            (void)co_await of.cluster.resource<config_map>("default").create(config_map{.metadata = {.name = "two"}});
            co_return result<>{};
        }(w));
        return subject.run();
    });
}

TEST_CASE("tampering: the source of a reflector", "[callers]")
{
    ends_by_cancellation([](user& u) {
        reflector_options o;
        o.executor = u.w.run.executor();
        o.time = u.w.run.shared_clock();
        o.log = logger::silent();
        auto source = std::make_shared<tampering_source>(u);
        auto& subject = u.w.keep(std::make_shared<reflector>(std::move(source), config_map::resource(), std::move(o),
                                                             std::make_shared<indifferent_sink>()));
        return subject.run();
    });
}

TEST_CASE("tampering: a part of a manager that starts again", "[callers]")
{
    for (const auto how : ways_to_tamper) {
        world w;
        user u{.w = w, .how = how};
        manager_options o{.name = "subject"};
        o.grace = 0s;
        o.log = logger::silent();
        manager m(w.cluster, std::move(o));
        runnable_options again;
        again.retry = backoff_policy{.initial = 1s};
        m.run(
            "part",
            [&u]() -> asio::awaitable<result<>> {
                (void)co_await u();
                co_return failure(cond::unreachable);
            },
            again);
        (void)w.run.spawn(m.run());
        w.run.advance(10s);
        CHECK(u.calls == 2);
        ends_soon(w, m.stop());
    }
}
