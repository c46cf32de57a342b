// Tests of an informer's defaults: log, time and metrics of the provider, and its log lines.

#include "informer_fixture.hpp"
#include "listener/event_trace.hpp"

#include <kubecoro/cache/subscription.hpp>

namespace asio = boost::asio;
using namespace informer_test;

namespace {

/// A provider with a log, a clock and metrics of its own.
class equipped_provider final : public kubecoro::source_provider
{
public:
    explicit equipped_provider(kt::runner& run)
        : scripts(std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock())), time(run.shared_clock())
    {
    }
    std::shared_ptr<kubecoro::list_watch_source> open(const kubecoro::resource_type& resource,
                                                      const kubecoro::source_scope& scope) override
    {
        return scripts->open(resource, scope);
    }
    asio::any_io_executor executor() const override { return scripts->executor(); }
    instruments defaults() const override { return {.time = time, .log = log.handle(), .metrics = numbers}; }

    std::shared_ptr<kt::scripted_provider> scripts;
    std::shared_ptr<kubecoro::time_source> time;
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
};

/// Returns the stations of one object version, in order.
lines stations(const kt::recording_logger& log, const std::string& object, const std::string& version)
{
    lines out;
    const std::string passed = "object=" + object + " version=" + version;
    for (const auto& line : log.lines())
        if (line.starts_with("trace ") && line.find(passed) != std::string::npos)
            out.push_back(line.substr(6, line.find('=') - 6));
    return out;
}

} // namespace

TEST_CASE("factory: log, clock and metrics default to the provider's", "[cache][factory]")
{
    kt::runner run;
    const auto provider = std::make_shared<equipped_provider>(run);
    kt::recording_logger own;
    kubecoro::factory_options options;
    const bool silent = GENERATE(false, true);
    if (silent) options.log = kubecoro::logger::silent();
    kubecoro::informer_factory informers(provider, options);
    auto pods = informers.get<pod>();
    provider->scripts->source(pod::resource())->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"), 3s);
    auto watch = provider->scripts->source(pod::resource())->on_watch();
    informers.start();
    REQUIRE(run.run(pods.has_synced()));
    run.advance(6s);
    CHECK(provider->log.count("synced informer=pods objects=1 seconds=3") == (silent ? 0 : 1)); // virtual seconds
    CHECK(provider->numbers->value("kubecoro_informer_objects") == 1);
    REQUIRE(run.run(informers.stop()));
}

TEST_CASE("factory: request_stop ends subscriptions and waits, even when called inside a handler", "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    f.with_one_pod();
    const bool inside = GENERATE(true, false);
    if (inside) pods.add_event_handler({.on_add = [&f](const kubecoro::added<>&) { f.informers->request_stop(); }});
    auto changes = pods.subscribe();
    auto reading = f.run.spawn(changes.for_each([](const kubecoro::notification<>&) {}));
    auto waiting = f.run.spawn(pods.wait_for({"web", "z"}, kubecoro::conditions::exists()));
    f.informers->start();
    f.settle();
    if (!inside) {
        CHECK_FALSE(reading.done());
        f.informers->request_stop();
        f.informers->request_stop();
        f.settle();
    }
    REQUIRE(reading.done());
    CHECK(reading.outcome().error() == kubecoro::cond::cancelled);
    REQUIRE(waiting.done());
    CHECK(waiting.outcome().error() == kubecoro::cond::cancelled);
    CHECK(f.run.run(f.informers->stop()).has_value());
    CHECK(pods.state() == kubecoro::informer_state::stopped);
}

TEST_CASE("factory: after request_stop alone no handler waits any more, so that the context can end",
          "[cache][factory]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    auto watch = f.with_one_pod();
    int calls = 0;
    auto handler = pods.add_event_handler({.on_add = [&calls](const kubecoro::added<>&) { ++calls; }});
    auto ended = f.run.spawn(handler.ended());
    const bool started = GENERATE(true, false);
    if (started) f.informers->start();
    f.settle();
    CHECK_FALSE(ended.done());
    f.informers->request_stop();
    f.settle();
    CHECK(ended.done());
    CHECK(calls == (started ? 1 : 0));
    f.informers.reset(); // would report what still runs
    CHECK(f.log.count("was destroyed while its informers run") == 0);
}

TEST_CASE("informer: trace lines follow an object from the list or watch to the end of its handler",
          "[cache][informer][log]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    const std::size_t concurrency = GENERATE(std::size_t{1}, std::size_t{2});
    auto handler = f.writer();
    handler.concurrency = concurrency;
    pods.add_event_handler(std::move(handler));
    auto watch = f.with_one_pod();
    f.informers->start();
    f.settle();
    watch.send(kt::modified(kt::make_pod("web", "a", "7")));
    f.settle();
    const lines all{"pushed informer", "stored informer", "distributed informer", "handler begins handler",
                    "handler ended handler"};
    CHECK(stations(f.log, "web/a", "1") == all);
    CHECK(stations(f.log, "web/a", "7") == all);
}

TEST_CASE("informer: above trace level no line is about a single object", "[cache][informer][log]")
{
    kt::runner run;
    kt::recording_logger log;
    const auto provider = std::make_shared<kt::scripted_provider>(run.executor(), run.shared_clock());
    kubecoro::factory_options options;
    options.log = log.handle(kubecoro::log_level::debug);
    kubecoro::informer_factory informers(provider, options);
    auto pods = informers.get<pod>();
    pods.add_event_handler({});
    provider->source(pod::resource())->on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    auto watch = provider->source(pod::resource())->on_watch();
    informers.start();
    REQUIRE(run.run(pods.has_synced()));
    run.run_until_idle();
    CHECK(log.count("web/a") == 0);
    CHECK_FALSE(
        kubecoro::detail::event_trace(*options.log, "informer", "pods").on()); // so a station costs one comparison
    REQUIRE(run.run(informers.stop()));
}

TEST_CASE("informer: a mistyped kind is reported at once instead of an empty store", "[cache][informer]")
{
    fixture f;
    auto mistyped = pod::resource();
    mistyped.kind = "Pdo";
    auto pods = f.informers->get(mistyped);
    f.with_one_pod();
    f.informers->start();
    const auto synced = f.run.run(pods.has_synced());
    REQUIRE_FALSE(synced.has_value());
    CHECK(synced.error() == kubecoro::cond::misconfigured);
    CHECK(synced.error().describe().find("a v1 Pod where a Pdo was expected") != std::string::npos);
    CHECK(f.log.count("synced informer") == 0);
}

TEST_CASE("lister: the values of an index are sorted", "[cache][lister]")
{
    fixture f;
    auto pods = f.informers->get<pod>();
    REQUIRE(pods.add_index("name", [](const kubecoro::object& o, auto out) { out(o.name()); }));
    std::vector<kubecoro::object> items;
    lines wanted;
    for (char c = 'a'; c <= 'z'; ++c) {
        wanted.emplace_back(1, c);
        items.push_back(kt::make_pod("web", wanted.back(), "1"));
    }
    f.source().on_list(kt::make_page(std::move(items), "5"));
    auto watch = f.source().on_watch();
    f.informers->start();
    REQUIRE(f.run.run(pods.has_synced()));
    CHECK(pods.lister().index_values("name") == wanted);
}
