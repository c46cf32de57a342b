// One trace from an event through the queue to its run and the runs that follow.
#include "controller_fixture.hpp"

#include <kubecoro/testing/recording_spans.hpp>

using namespace controller_test;

namespace {

/// A controller of pods with a tracer; each run returns the next of `answers`, or succeeds.
struct traced : fixture
{
    std::shared_ptr<kt::recording_spans> spans = std::make_shared<kt::recording_spans>();
    std::vector<run_result> answers;
    /// Called by each run.
    std::function<void(reconcile_context&)> act;
    /// The context of each run's span.
    std::vector<trace_context> runs;
    kt::scripted_watch watch;

    explicit traced(trace_options how = {}, controller_options o = {}, enqueue map = enqueue_object())
    {
        if (!how.tracer) how.tracer = tracer(spans, {.time = run.shared_clock(), .seed = 11});
        o.traces = how;
        auto [all, events] = pods({kt::make_pod("web", "old", "9")});
        watch = events;
        auto& c = make(plain([this](const object_key& key, reconcile_context& context) -> run_result {
                           seen.push_back(to_string(key));
                           runs.push_back(context.trace());
                           context.log().info("at work");
                           if (act) act(context);
                           if (answers.empty()) return action::done();
                           auto next = answers.front();
                           answers.erase(answers.begin());
                           return next;
                       }),
                       std::move(o));
        c.watch(all, std::move(map));
        begin();
    }
    void change(const std::string& name, const std::string& version)
    {
        watch.send(kt::added(kt::make_pod("web", name, version)));
        settle();
    }
    [[nodiscard]] std::vector<span_data> reconciles() const { return spans->named("reconcile subject"); }
    [[nodiscard]] std::vector<span_data> events() const { return spans->named("event pods"); }
};

/// Two keys for each event.
enqueue twice()
{
    return [](const notification<object>& n, key_sink out) {
        out(object_of(n).key());
        out("web", "all");
    };
}

} // namespace

TEST_CASE("controller traces: an event and its run are one trace, and say what they were about", "[controller][traces]")
{
    traced t;
    t.change("a", "12");
    REQUIRE(t.events().size() == 1);
    REQUIRE(t.reconciles().size() == 1);
    const auto event = t.events()[0];
    CHECK(event.kind == span_kind::producer);
    CHECK(event.parent == 0);
    CHECK(kt::attribute(event, "kubecoro.event") == "added");
    CHECK(kt::attribute(event, "k8s.namespace.name") == "web");
    CHECK(kt::attribute(event, "kubecoro.object.name") == "a");
    CHECK(kt::attribute(event, "kubecoro.object.resource_version") == "12");
    CHECK(kt::attribute(event, "kubecoro.keys") == "1");
    const auto run = t.reconciles()[0];
    CHECK(run.kind == span_kind::consumer);
    CHECK(run.context.trace_text() == event.context.trace_text());
    CHECK(run.parent == event.context.span);
    CHECK(run.links.empty());
    CHECK(run.error.empty());
    CHECK(kt::attribute(run, "kubecoro.controller") == "subject");
    CHECK(kt::attribute(run, "kubecoro.object.name") == "a");
    CHECK(kt::attribute(run, "kubecoro.cause") == "event");
    CHECK(kt::attribute(run, "kubecoro.causes") == "1");
    CHECK(kt::attribute(run, "kubecoro.attempt") == "1");
    CHECK(kt::attribute(run, "kubecoro.result") == "succeeded");
    CHECK(kt::attribute(run, "kubecoro.queue.wait") == "0");
}

TEST_CASE("controller traces: log lines and failures of a run carry its ids", "[controller][traces]")
{
    traced t;
    t.answers = {failure(cond::conflict, "changed"), terminal(failure(cond::invalid, "no"))};
    t.change("a", "12");
    t.run.advance(1s);
    REQUIRE(t.runs.size() == 3);
    CHECK_FALSE(t.runs[0]); // of the first list
    for (const auto n : {1, 2}) {
        const auto ids = "trace=" + t.runs[n].trace_text() + " run=" + t.runs[n].span_text();
        CHECK(t.log.count("at work controller=subject object=web/a " + ids) == 1);
        const std::string line = n == 1 ? "a run failed" : "a run failed and is not retried";
        const std::string rest =
            n == 1 ? " attempt=1 failure=\"conflict: changed\" " : " attempt=2 failure=\"invalid: no\" ";
        CHECK(t.log.count(line + " controller=subject object=web/a" + rest + ids) == 1);
    }
    CHECK(t.log.count("at work controller=subject object=web/old trace=") == 0);
    CHECK(
        t.log.count("event queued controller=subject source=pods event=added object=web/a resource_version=12 trace=" +
                    t.runs[1].trace_text()) == 1);
    CHECK(t.log.count("run ended controller=subject object=web/a result=failed") == 1);
}

TEST_CASE("controller traces: events that are merged into one run are its links", "[controller][traces]")
{
    traced t({}, {.debounce = 2s});
    t.run.advance(5s);
    t.spans->clear();
    for (const auto* version : {"12", "13", "14"}) {
        t.change("a", version);
        t.run.advance(1s);
    }
    t.run.advance(5s);
    const auto events = t.events();
    REQUIRE(events.size() == 3);
    REQUIRE(t.reconciles().size() == 1);
    const auto run = t.reconciles()[0];
    CHECK(run.parent == events[0].context.span);
    CHECK(run.links == std::vector{events[1].context, events[2].context});
    CHECK(kt::attribute(run, "kubecoro.causes") == "3");
    CHECK(kt::attribute(run, "kubecoro.queue.wait") == "4");
    CHECK(kt::attribute(events[1], "kubecoro.event") == "updated");
}

TEST_CASE("controller traces: what arrives during a run is the cause of the next one", "[controller][traces]")
{
    traced t;
    t.act = [&t](reconcile_context&) {
        if (t.seen.size() == 2) t.subject->trigger({"web", "a"});
    };
    t.change("a", "12");
    const auto asked = t.spans->named("trigger subject");
    REQUIRE(asked.size() == 1);
    CHECK(kt::attribute(asked[0], "kubecoro.object.name") == "a");
    const auto runs = t.reconciles();
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].parent == t.events()[0].context.span);
    CHECK(runs[1].parent == asked[0].context.span);
    CHECK(kt::attribute(runs[1], "kubecoro.cause") == "trigger");
}

TEST_CASE("controller traces: a retry stays in the trace, a requested run begins one, and both link back",
          "[controller][traces]")
{
    traced t;
    t.answers = {failure(cond::unreachable, "no answer"), action::requeue_after(1min)};
    t.change("a", "12");
    t.run.advance(2min);
    const auto runs = t.reconciles();
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].error == "unreachable");
    CHECK(kt::attribute(runs[0], "kubecoro.result") == "failed");
    CHECK(runs[1].context.trace_text() == runs[0].context.trace_text());
    CHECK(runs[1].parent == t.events()[0].context.span);
    CHECK(runs[1].links == std::vector{runs[0].context});
    CHECK(kt::attribute(runs[1], "kubecoro.cause") == "retry");
    CHECK(kt::attribute(runs[1], "kubecoro.attempt") == "2");
    CHECK(kt::attribute(runs[1], "kubecoro.result") == "requeued");
    CHECK(kt::attribute(runs[1], "kubecoro.queue.wait").empty());
    CHECK(runs[2].context.trace_text() != runs[1].context.trace_text());
    CHECK(runs[2].parent == 0);
    CHECK(runs[2].links == std::vector{runs[1].context});
    CHECK(kt::attribute(runs[2], "kubecoro.cause") == "requeue");
}

TEST_CASE("controller traces: an event that leads to two keys is in both traces, one without keys makes no span",
          "[controller][traces]")
{
    traced t({}, {}, twice());
    t.spans->clear();
    t.change("a", "12");
    REQUIRE(t.events().size() == 1);
    CHECK(kt::attribute(t.events()[0], "kubecoro.keys") == "2");
    REQUIRE(t.reconciles().size() == 2);
    for (const auto& run : t.reconciles()) CHECK(run.parent == t.events()[0].context.span);

    traced none({}, {}, enqueue_mapped([](const object&, key_sink) {}));
    none.change("a", "12");
    CHECK(none.spans->all().empty());
}

TEST_CASE("controller traces: objects of the first list begin traces on demand", "[controller][traces]")
{
    CHECK(traced().spans->all().empty());
    traced t({.unchanged = true});
    REQUIRE(t.events().size() == 1);
    CHECK(kt::attribute(t.events()[0], "kubecoro.event") == "listed");
    REQUIRE(t.reconciles().size() == 1);
    CHECK(t.runs[0] == t.reconciles()[0].context);
}

TEST_CASE("controller traces: keys for which there is no room run without a trace, and are counted",
          "[controller][traces]")
{
    constexpr int one_too_many = 4097;
    traced t({}, {}, [](const notification<object>&, key_sink out) {
        for (int n = 0; n != one_too_many; ++n) out("web", std::to_string(n));
    });
    t.change("a", "12");
    CHECK(t.reconciles().size() == one_too_many - 1);
    CHECK(kt::attribute(t.events()[0], "kubecoro.keys") == "4096");
    CHECK(t.number("kubecoro_controller_untraced_causes_total") == 1);
    t.change("b", "13"); // there is room again
    CHECK(t.reconciles().size() == 2 * (one_too_many - 1));
}

TEST_CASE("controller traces: a share of the events, and nothing of the others", "[controller][traces]")
{
    traced t({.tracer = tracer(std::make_shared<kt::recording_spans>(), {.sample = 0})});
    t.change("a", "12");
    CHECK(t.seen.size() == 2);
    CHECK_FALSE(t.runs[1]);
    CHECK(t.log.count("trace=") == 0);
}

TEST_CASE("controller traces: the cluster is named in the spans of events, triggers and runs", "[controller][traces]")
{
    const auto spans = std::make_shared<kt::recording_spans>();
    traced t({.tracer = tracer(spans), .cluster = "eu"});
    t.change("a", "12");
    t.subject->trigger(object_key("web", "b"));
    t.run.run_until_idle();
    for (const auto* name : {"event pods", "trigger subject", "reconcile subject"}) {
        INFO(name);
        const auto found = spans->named(name);
        REQUIRE_FALSE(found.empty());
        CHECK(kt::attribute(found[0], "kubecoro.cluster") == "eu");
        CHECK(kt::attribute(found[0], "kubecoro.controller") == "subject");
    }
}

TEST_CASE("controller traces: runs with and without a trace take turns, whatever their keys are called",
          "[controller][traces]")
{
    const auto spans = std::make_shared<kt::recording_spans>();
    traced t({.tracer = tracer(spans, {.sample = 0.5, .seed = 3})});
    for (int n = 0; n < 200; ++n)
        t.change(n % 2 == 0 ? "web-" + std::to_string(n) : std::string("a"), std::to_string(20 + n));
    CHECK(spans->named("event pods").size() == spans->named("reconcile subject").size());
    std::size_t with = 0;
    for (const auto& run : t.runs)
        if (run) ++with;
    CHECK(with == spans->named("event pods").size());
    CHECK((with > 50 && with < 150));
}

TEST_CASE("controller traces: without a tracer nothing has a trace", "[controller][traces]")
{
    fixture f;
    auto [all, watch] = f.pods({});
    std::vector<bool> had;
    auto& c = f.make(plain([&](const object_key&, reconcile_context& context) -> run_result {
        had.push_back(static_cast<bool>(context.trace()) || static_cast<bool>(context.span("part")));
        context.log().info("at work");
        return action::done();
    }));
    c.watch(all, enqueue_object());
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "a", "12")));
    f.settle();
    c.trigger({"web", "a"});
    f.settle();
    CHECK(had == std::vector<bool>{false, false});
    CHECK(f.log.count("trace=") == 0);
    CHECK(f.numbers->names() != lines());
    CHECK(f.numbers->updates("kubecoro_controller_untraced_causes_total") == 0);
}

TEST_CASE("controller traces: ids alone are in log lines, and nothing is recorded", "[controller][traces]")
{
    traced t({.tracer = tracer::ids_only({.seed = 5})});
    t.change("a", "12");
    CHECK(t.log.count("at work controller=subject object=web/a trace=") == 1);
    CHECK(t.spans->all().empty());
    REQUIRE(t.runs.size() == 2);
    CHECK_FALSE(t.runs[1].sampled);
}

TEST_CASE("controller traces: a key that waits for its own write keeps its causes", "[controller][traces]")
{
    traced t;
    t.act = [&t](reconcile_context& context) {
        if (t.seen.size() == 2) context.wrote(kt::make_pod("web", "made", "20"));
    };
    t.change("a", "12");
    t.change("a", "13");
    CHECK(t.reconciles().size() == 1);
    CHECK(t.subject->stats().behind_own_writes == 1);
    t.run.advance(3s);
    t.change("made", "20");
    const auto runs = t.reconciles();
    REQUIRE(runs.size() == 3);
    CHECK(kt::attribute(runs[2], "kubecoro.object.name") == "a"); // after that of the object that it made
    CHECK(runs[2].parent == t.events()[1].context.span);
    CHECK(kt::attribute(runs[2], "kubecoro.queue.wait") == "3");
}

TEST_CASE("controller traces: a reconciler's own spans are parts of its run", "[controller][traces]")
{
    fixture f;
    const auto spans = std::make_shared<kt::recording_spans>();
    auto [all, watch] = f.pods({});
    auto& c = f.make(
        [&f](const object_key&, reconcile_context& context) -> run_task {
            auto rendering = context.span("render");
            rendering.set("pages", 3);
            co_await sleep_for(f.run.clock(), 2s);
            co_return action::done();
        },
        {.traces = {.tracer = tracer(spans, {.time = f.run.shared_clock(), .seed = 1})}});
    c.watch(all, enqueue_object());
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "a", "12")));
    f.run.advance(5s);
    REQUIRE(spans->named("render").size() == 1);
    const auto part = spans->named("render")[0];
    const auto run = spans->named("reconcile subject").at(0);
    CHECK(part.parent == run.context.span);
    CHECK(part.took == 2s);
    CHECK(run.took == 2s);
    CHECK(kt::attribute(part, "pages") == "3");
}

TEST_CASE("controller traces: a run that is cancelled by the stop has a span, and no next run", "[controller][traces]")
{
    fixture f;
    const auto spans = std::make_shared<kt::recording_spans>();
    auto [all, watch] = f.pods({});
    auto& c = f.make(
        [&f](const object_key&, reconcile_context&) -> run_task {
            const auto slept = co_await sleep_for(f.run.clock(), 1h);
            co_return slept.error();
        },
        {.grace = 1s, .traces = {.tracer = tracer(spans, {.time = f.run.shared_clock(), .seed = 1})}});
    c.watch(all, enqueue_object());
    f.begin();
    watch.send(kt::added(kt::make_pod("web", "a", "12")));
    f.settle();
    c.request_stop();
    f.run.advance(2s);
    REQUIRE(spans->named("reconcile subject").size() == 1);
    CHECK(kt::attribute(spans->named("reconcile subject")[0], "kubecoro.result") == "cancelled");
    CHECK(spans->named("reconcile subject")[0].error == "cancelled");
}
