// Tests of the factory: sharing, late start, release, stop, cancellation and destruction.

#include "informer_fixture.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::cond;
using kubecoro::result;
using kubecoro::untyped::node;

TEST_CASE("factory: equal options share an informer, others do not", "[cache][factory]")
{
    fixture f;
    auto a = f.informers->get<pod>();
    CHECK(f.informers->get<pod>() == a);
    CHECK(f.informers->get(pod::resource()) == a);
    CHECK_FALSE(f.informers->get<node>() == a);
    auto web = f.informers->get<pod>({.namespaces = {"web", "jobs"}, .label_selector = "app=shop"});
    CHECK_FALSE(web == a);
    CHECK(f.informers->get<pod>({.namespaces = {"jobs", "web", "web"}, .label_selector = "app==shop"}) == web);
    CHECK_FALSE(f.informers->get<pod>({.namespaces = {"jobs", "web"}, .label_selector = "app=mail"}) == web);
    CHECK_FALSE(f.informers->get<pod>({.decode = {.drop_managed_fields = true}}) == a);
    CHECK(f.informers->informers().size() == 5);
}

TEST_CASE("factory: a shared informer has the label indexes of every request", "[cache][factory]")
{
    fixture f;
    auto a = f.informers->get<pod>({.label_indexes = {"app"}});
    CHECK(a.stats().indexed_labels == lines{"app"});
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(a.has_synced()));
    CHECK(f.informers->get<pod>({.label_indexes = {"team", "app"}}) == a);
    CHECK(a.stats().indexed_labels == lines{"app", "team"});
    CHECK(f.informers->get<pod>() == a);
    CHECK(a.stats().indexed_labels.size() == 2);
}

TEST_CASE("factory: informers requested after the start are started", "[cache][factory]")
{
    fixture f;
    f.informers->start();
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    auto pods = f.informers->get<pod>();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(f.informers->get<pod>() == pods);
    f.informers->start();
    f.settle();
    CHECK(f.source().lists() == 1);
}

TEST_CASE("factory: informers requested before the start wait for it", "[cache][factory]")
{
    fixture f;
    f.source().on_list(kt::make_page({}, "5"));
    auto watch = f.source().on_watch();
    auto pods = f.informers->get<pod>();
    f.settle();
    CHECK(f.source().lists() == 0);
    CHECK(pods.state() == kubecoro::informer_state::created);
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
}

TEST_CASE("factory: the last release ends the watch; the handle still reads", "[cache][factory]")
{
    fixture f;
    auto one = f.informers->get<pod>();
    auto two = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    auto handler = one.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    REQUIRE(f.run.run(f.informers->release(two)));
    CHECK_FALSE(watch.closed());
    REQUIRE(f.run.run(f.informers->release(one)));
    CHECK(watch.closed());
    CHECK(one.state() == kubecoro::informer_state::stopped);
    CHECK(content(one) == lines{"web/a@1"});
    CHECK(f.run.run(f.informers->release(one)));
    // A later request creates a new informer.
    auto fresh = f.informers->get<pod>();
    CHECK_FALSE(fresh == one);
    CHECK(fresh.state() == kubecoro::informer_state::created);
}

TEST_CASE("factory: stop is final, may be repeated, and cancels a running handler", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.source().on_list(kt::make_page({kt::make_pod("web", "a", "1"), kt::make_pod("web", "b", "2")}, "5"));
    auto watch = f.source().on_watch();
    pods.add_event_handler({.on_add = [&f](kubecoro::added<> e) -> asio::awaitable<void> {
        f.seen.push_back("begin " + f.text(e.obj));
        const auto slept = co_await kubecoro::sleep_for(f.run.clock(), 1h);
        f.seen.push_back(slept ? "end" : "cancelled");
    }});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();
    const auto begin = f.run.clock().now();
    auto other = f.run.spawn(f.informers->stop());
    REQUIRE(f.run.run(f.informers->stop()));
    f.settle();
    CHECK(other.done());
    CHECK(f.run.clock().now() == begin);
    CHECK(f.take() == lines{"begin web/a@1", "cancelled"});
    REQUIRE(f.run.run(f.informers->stop()));
    f.informers->start();
    auto late = f.informers->get<node>();
    f.informers->start();
    CHECK(late.state() == kubecoro::informer_state::stopped);
    CHECK(f.run.run(late.has_synced()).error() == cond::cancelled);
    CHECK(f.log.count(kubecoro::log_level::error) == 0);
}

TEST_CASE("factory: a stopped informer accepts no handlers or subscriptions", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    REQUIRE(f.run.run(f.informers->stop()));
    auto handler = pods.add_event_handler(f.writer());
    auto events = pods.subscribe();
    CHECK(f.run.run(handler.has_synced()).error() == cond::cancelled);
    CHECK(f.run.run(handler.removed()));
    CHECK(f.run.run(events.has_synced()).error() == cond::cancelled);
    CHECK(f.run.run(pods.set_namespaces({"web"})).error() == cond::cancelled);
    pods.retry_now();
    f.settle();
    CHECK(f.take().empty());
    CHECK(pods.state() == kubecoro::informer_state::stopped);
    CHECK(content(pods) == lines{"web/a@1"});
}

TEST_CASE("factory: one that was never started stops and is destroyed at once", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto handler = pods.add_event_handler(f.writer());
    auto waiting = f.run.spawn(handler.has_synced());
    f.informers.reset();
    CHECK(f.log.count(kubecoro::log_level::error) == 0);
    f.settle();
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == cond::cancelled);
    CHECK(pods.lister().size() == 0);
}

TEST_CASE("factory: destruction while running is logged, and the informers end by themselves", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    auto handler = pods.add_event_handler(f.writer());
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    f.informers.reset();
    CHECK(f.log.count("await stop() first") == 1);
    f.settle();
    CHECK(watch.closed());
    CHECK(pods.state() == kubecoro::informer_state::stopped);
    CHECK(content(pods) == lines{"web/a@1"});
}

namespace {

/// A whole life cycle: sync, watch, relist, stop.
struct life : kubecoro::test::scripted_informers
{
    std::shared_ptr<kubecoro::time_source> time;
    int calls = 0;

    explicit life(kt::runner& r) : scripted_informers(r, {.log = kubecoro::logger::silent()}), time(r.shared_clock())
    {
        auto source = provider->source(pod::resource(), {});
        source->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5", "more"));
        source->on_list(kt::make_page({kt::make_pod("web", "b", "2")}, "5"));
        auto first = source->on_watch();
        first.send({kt::added(kt::make_pod("web", "c", "6")), kt::error_event(410, "Expired")});
        source->on_list(kt::make_page({kt::make_pod("web", "c", "7")}, "8"));
        source->on_watch().send(kt::added(kt::make_pod("web", "d", "9")));
    }
};

// The life is the scenario's fixture: it is destroyed after every coroutine that uses it.
asio::awaitable<result<>> live(life* l)
{
    auto pods = l->informers->get<pod>();
    auto handler = pods.add_event_handler({.on_add = [l](kubecoro::added<>) -> asio::awaitable<void> {
        ++l->calls;
        co_await kubecoro::sleep_for(*l->time, 10ms);
    }});
    auto events = pods.subscribe();
    l->informers->start();
    if (const auto synced = co_await handler.has_synced(); !synced) co_return synced;
    std::size_t seen = 0;
    while (seen < 7) { // 2 initial, c added, a and b lost, c updated, d added
        const auto batch = co_await events.pop();
        if (!batch) co_return events.end_reason();
        seen += batch->size();
    }
    co_return co_await l->informers->stop();
}

} // namespace

TEST_CASE("factory: a life cycle cancelled at any step ends, and the informers with it", "[cache][factory][every_step]")
{
    std::size_t finished = 0;
    const auto attempts = kt::cancel_after_every_step(
        [](kt::runner& r) {
            auto l = std::make_shared<life>(r);
            return kt::scenario{live(l.get()), l};
        },
        [&](const result<>& r) {
            if (r)
                ++finished;
            else
                CHECK(r.error() == cond::cancelled);
        });
    REQUIRE(attempts);
    CHECK(*attempts > 20);
    CHECK(finished >= 1);
}

TEST_CASE("factory: destruction of everything at any step leaks nothing", "[cache][factory][every_step]")
{
    const auto attempts = kt::stop_after_every_step([](kt::runner& r) {
        auto l = std::make_shared<life>(r);
        return kt::scenario{live(l.get()), l};
    });
    REQUIRE(attempts);
    CHECK(*attempts > 20);
}

TEST_CASE("factory: a cancelled release is finished by the next one, or by the stop", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    // Ends late even when it is cancelled, so that the release has to wait.
    pods.add_event_handler({.on_add = [&f](kubecoro::added<>) -> asio::awaitable<void> {
        co_await kubecoro::finish_despite_cancellation();
        for (int i = 0; i < 2; ++i) co_await kubecoro::sleep_for(f.run.clock(), 1min);
    }});
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.settle();

    auto releasing = f.run.spawn(f.informers->release(pods));
    f.settle();
    CHECK_FALSE(releasing.done());
    releasing.cancel();
    f.settle();
    REQUIRE(releasing.done());
    CHECK(releasing.outcome().error() == cond::cancelled);
    CHECK(f.informers->informers().empty());
    SECTION("the next release")
    {
        const auto begin = f.run.clock().now();
        CHECK(f.run.run(f.informers->release(pods)));
        CHECK(f.run.clock().now() - begin == 1min);
    }
    SECTION("the stop, even when no handle is left")
    {
        pods = f.informers->get<kubecoro::untyped::node>();
        CHECK(f.run.run(f.informers->stop()));
    }
    SECTION("the destruction only")
    {
        pods = f.informers->get<kubecoro::untyped::node>();
        f.informers.reset();
        f.run.advance(5min);
    }
}

TEST_CASE("factory: the context may be destroyed before abandoned informers have ended", "[cache][factory]")
{
    const bool some_steps = GENERATE(false, true);
    fixture f;
    {
        auto pods = f.informers->get<pod>();
        auto watch = f.with_one_pod();
        pods.add_event_handler({.on_add = [&f](kubecoro::added<>) -> asio::awaitable<void> {
            co_await kubecoro::sleep_for(f.run.clock(), 1min);
        }});
        f.informers->start();
        if (some_steps) f.settle();
    }
    f.informers.reset();
    const auto steps = f.run.step(GENERATE(0u, 1u, 2u, 3u, 4u, 6u, 8u));
    f.run.destroy_coroutines();
    CHECK(steps <= 8);
}

namespace {

asio::awaitable<result<>> stop_and_see(life* l, std::shared_ptr<bool> threw)
{
    auto pods = l->informers->get<pod>();
    pods.add_event_handler(
        {.on_add = [l](kubecoro::added<>) -> asio::awaitable<void> { co_await kubecoro::sleep_for(*l->time, 10ms); }});
    l->informers->start();
    if (const auto synced = co_await pods.has_synced(); !synced) co_return synced;
    const auto before = co_await asio::this_coro::cancellation_state;
    if (before.cancelled() != asio::cancellation_type::none) co_return kubecoro::failure(cond::cancelled);
    auto stopping = l->informers->stop();
    result<> outcome;
    try {
        outcome = co_await std::move(stopping);
    } catch (...) {
        *threw = true;
    }
    co_return outcome;
}

} // namespace

TEST_CASE("factory: a stop cancelled at any step returns a failure", "[cache][factory][every_step]")
{
    const auto threw = std::make_shared<bool>(false);
    const auto attempts = kt::cancel_after_every_step(
        [&](kt::runner& r) {
            auto l = std::make_shared<life>(r);
            return kt::scenario{stop_and_see(l.get(), threw), l};
        },
        [](const result<>&) {});
    REQUIRE(attempts);
    CHECK(*attempts > 10);
    CHECK_FALSE(*threw);
}

namespace {

/// Opens its watch when `answer` is settled, even if cancelled: the server's response was already under way.
class late_watch_source final : public kubecoro::list_watch_source
{
public:
    asio::awaitable<result<kubecoro::list_page>> list(kubecoro::list_options) override
    {
        co_return kt::make_page({}, "5");
    }
    asio::awaitable<result<std::unique_ptr<kubecoro::watch_stream>>> watch(kubecoro::watch_options) override
    {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        asked = true;
        (void)co_await answer.wait();
        ++opened;
        co_return std::make_unique<stream>(*this);
    }
    std::string describe() const override { return "a late watch"; }

    kubecoro::latch answer;
    bool asked = false;
    int opened = 0;
    int closed = 0;

private:
    class stream final : public kubecoro::watch_stream
    {
    public:
        explicit stream(late_watch_source& s) : of_(s) {}
        ~stream() override { ++of_.closed; }
        asio::awaitable<result<std::vector<kubecoro::watch_event>>> next() override
        {
            const auto ended = co_await kubecoro::latch{}.wait();
            co_return ended.error();
        }

    private:
        late_watch_source& of_;
    };
};

class provider_of_one final : public kubecoro::source_provider
{
public:
    provider_of_one(asio::any_io_executor e, std::shared_ptr<kubecoro::list_watch_source> s)
        : executor_(std::move(e)), source_(std::move(s))
    {
    }
    std::shared_ptr<kubecoro::list_watch_source> open(const kubecoro::resource_type&,
                                                      const kubecoro::source_scope&) override
    {
        return source_;
    }
    asio::any_io_executor executor() const override { return executor_; }

private:
    asio::any_io_executor executor_;
    std::shared_ptr<kubecoro::list_watch_source> source_;
};

} // namespace

TEST_CASE("factory: a watch that opens after the stop request is closed, even while handles exist", "[cache][factory]")
{
    kt::runner run;
    const auto source = std::make_shared<late_watch_source>();
    kubecoro::factory_options o;
    o.time = run.shared_clock();
    kubecoro::informer_factory informers(std::make_shared<provider_of_one>(run.executor(), source), o);
    auto pods = informers.get<pod>();
    informers.start();
    REQUIRE(run.run_until([&] { return source->asked; }));
    auto stopping = run.spawn(informers.stop());
    run.run_until_idle();
    CHECK_FALSE(stopping.done());
    source->answer.settle({});
    run.run_until_idle();
    REQUIRE(stopping.done());
    CHECK(stopping.outcome().has_value());
    CHECK(source->opened == 1);
    CHECK(source->closed == 1);
    CHECK(pods.state() == kubecoro::informer_state::stopped);
}
