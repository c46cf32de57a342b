// One trace from a change at the server to the requests of the run that it causes, which the server can read.
#include "manager_fixture.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/testing/recording_spans.hpp>

#include <algorithm>

using namespace manager_test;

namespace {

/// Passes requests on, and keeps their `traceparent`.
class listening_transport final : public transport
{
public:
    explicit listening_transport(std::shared_ptr<transport> inner) : inner_(std::move(inner)) {}

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        for (const auto& [name, value] : r.headers)
            if (name == "traceparent") heard.push_back(r.method + " " + value);
        return inner_->send(std::move(r));
    }

    lines heard;

private:
    std::shared_ptr<transport> inner_;
};

struct traced
{
    kt::runner run;
    apiserver::embedded_server server;
    std::shared_ptr<listening_transport> wire;
    std::shared_ptr<kt::recording_spans> spans = std::make_shared<kt::recording_spans>();
    std::optional<manager> m;
    std::optional<kt::task<void>> running;

    traced() : server(run.executor(), {.time = run.shared_clock()})
    {
        wire = std::make_shared<listening_transport>(std::make_shared<apiserver::in_process_transport>(server));
    }
    ~traced()
    {
        if (m) (void)run.run(m->stop());
        m.reset();
        CHECK(run.run(server.stop()).has_value());
    }
    traced(const traced&) = delete;
    traced& operator=(const traced&) = delete;

    [[nodiscard]] client connect()
    {
        return client(run.executor(), wire, {.time = run.shared_clock(), .log = logger::silent()});
    }
    /// A controller that copies each config map of a label into a Secret of its name.
    void begin(trace_options how)
    {
        m.emplace(connect(), manager_options{.name = "subject", .check_access = false, .traces = std::move(how)});
        m->control<config_map>(
            [cluster = m->client()](const typed_object<config_map>& from, reconcile_context&) -> reconciled {
                if (from->metadata().labels()["copy"] != "yes") co_return action::done();
                auto secrets = cluster.resource<secret>("default");
                const secret wanted{.metadata = {.name = std::string(from.name())}};
                KUBECORO_TRY(co_await secrets.create(wanted));
                co_return action::done();
            },
            {.name = "copies"});
        running = run.spawn(m->run());
        run.advance(1s);
        wire->heard.clear();
    }
    void change()
    {
        const config_map wanted{.metadata = {.name = "a", .labels = {{"copy", "yes"}}}};
        REQUIRE(run.run(m->client().resource<config_map>("default").create(wanted)));
        run.advance(1s);
    }
};

} // namespace

TEST_CASE("manager: one trace leads from a change through the run to its requests on the wire", "[manager][traces]")
{
    traced w;
    w.begin({.tracer = tracer(w.spans, {.time = w.run.shared_clock(), .seed = 2})});
    w.change();
    const auto events = w.spans->named("event configmaps");
    const auto runs = w.spans->named("reconcile copies");
    const auto requests = w.spans->named("POST secrets");
    REQUIRE(events.size() == 1);
    REQUIRE(runs.size() == 1);
    REQUIRE(requests.size() == 1);
    CHECK(runs[0].parent == events[0].context.span);
    CHECK(requests[0].parent == runs[0].context.span);
    CHECK(requests[0].context.trace_text() == events[0].context.trace_text());
    CHECK(kt::attribute(requests[0], "http.response.status_code") == "201");
    CHECK(w.wire->heard == lines{"POST " + requests[0].context.traceparent()});
}

TEST_CASE("manager: without traces no request has the header", "[manager][traces]")
{
    traced w;
    w.begin({});
    w.change();
    CHECK(w.run.run(w.m->client().resource<secret>("default").get("a")));
    CHECK(w.wire->heard.empty());
    CHECK(w.spans->all().empty());
}
