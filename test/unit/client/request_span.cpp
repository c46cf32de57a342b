// The spans of requests that are made for a run, and the header that tells the server.
#include "rest_fixture.hpp"

#include <kubecoro/client/detail/request_scope.hpp>
#include <kubecoro/testing/recording_spans.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

struct traced : world
{
    std::shared_ptr<testing::recording_spans> spans = std::make_shared<testing::recording_spans>();
    std::shared_ptr<request_scope> scope = std::make_shared<request_scope>();
    client cluster;
    tracer tracing;
    trace_context run_span;

    explicit traced(credentials login = {}) : cluster(make(std::move(login)))
    {
        tracing = tracer(spans, {.time = run.shared_clock(), .seed = 3});
        run_span = tracing.identify();
    }
    void enter(bool propagate = true) { scope->enter({.tracer = tracing, .run = run_span, .propagate = propagate}); }
    template<class T>
    void drive(asio::awaitable<T> work)
    {
        bool done = false;
        const auto executor = in_scope(asio::make_strand(run.executor()), scope);
        asio::co_spawn(executor, std::move(work), [&done](const std::exception_ptr& e, auto&&...) { done = !e; });
        run.advance(1min);
        CHECK(done);
    }
    span_data only()
    {
        const auto all = spans->all();
        REQUIRE(all.size() == 1);
        return all[0];
    }
};

const std::string stored =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"web","name":"a","resourceVersion":"7"}})";

} // namespace

TEST_CASE("request span: it is a part of the run, says what was asked and answered, and the header names it",
          "[client][traces]")
{
    traced t;
    t.enter();
    t.net->replies = {{.status = 200, .body = {stored}}};
    t.drive(t.cluster.update(pods, "web", "a", R"({"data":{"password":"hunter2"}})", {.field_manager = "me"}));
    const auto s = t.only();
    CHECK(s.name == "PUT pods");
    CHECK(s.kind == span_kind::client);
    CHECK(s.parent == t.run_span.span);
    CHECK(s.context.trace_text() == t.run_span.trace_text());
    CHECK(testing::attribute(s, "http.request.method") == "PUT");
    CHECK(testing::attribute(s, "url.path") == "/api/v1/namespaces/web/pods/a");
    CHECK(testing::attribute(s, "http.response.status_code") == "200");
    CHECK(s.error.empty());
    CHECK(s.attributes.size() == 3); // nothing of the body, nor of the query
    CHECK(t.net->header(0, "traceparent") == s.context.traceparent());
}

TEST_CASE("request span: a refusal and a broken connection have their class only", "[client][traces]")
{
    traced t;
    t.enter();
    t.net->replies = {{.status = 409, .body = {"{}"}}};
    t.drive(t.cluster.get(pods, "web", "a"));
    CHECK(t.only().error == "409");
    t.spans->clear();
    t.drive(t.cluster.get(pods, "web", "a"));
    CHECK(t.only().error == "unreachable");
    CHECK(testing::attribute(t.only(), "http.response.status_code").empty());
}

TEST_CASE("request span: the line of a request has its outcome and the ids of its run", "[client][traces]")
{
    traced t;
    t.enter();
    t.net->replies = {{.status = 200, .body = {stored}}};
    t.drive(t.cluster.update(pods, "web", "a", R"({"data":{"password":"hunter2"}})", {.field_manager = "me"}));
    const auto ids = " trace=" + t.run_span.trace_text() + " run=" + t.run_span.span_text();
    CHECK(t.lines == std::vector<std::string>{
                         "debug request answered method=PUT path=/api/v1/namespaces/web/pods/a status=200" + ids});
    t.lines.clear();
    t.drive(t.cluster.get(pods, "web", "a"));
    CHECK(t.lines ==
          std::vector<std::string>{
              "debug request failed method=GET path=/api/v1/namespaces/web/pods/a failure=unreachable" + ids});
}

TEST_CASE("request span: a request that is sent again is one span, and counts", "[client][traces]")
{
    traced t;
    t.enter();
    t.net->replies = {{.status = 429, .headers = {{"retry-after", "2"}}}, {.status = 200, .body = {stored}}};
    t.drive(t.cluster.get(pods, "web", "a"));
    const auto s = t.only();
    CHECK(s.took >= 2s);
    CHECK(testing::attribute(s, "http.request.resend_count") == "1");
    CHECK(testing::attribute(s, "http.response.status_code") == "200");
    CHECK(t.net->header(0, "traceparent") == t.net->header(1, "traceparent"));
}

TEST_CASE("request span: servers are not told when the options say so", "[client][traces]")
{
    traced t;
    t.enter(false);
    t.net->replies = {{.status = 200, .body = {stored}}};
    t.drive(t.cluster.get(pods, "web", "a"));
    CHECK(t.spans->all().size() == 1);
    CHECK(t.net->header(0, "traceparent").empty());
}

TEST_CASE("request span: outside of a run, nothing is recorded or sent", "[client][traces]")
{
    traced t;
    t.net->replies = {
        {.status = 200, .body = {stored}}, {.status = 200, .body = {stored}}, {.status = 200, .body = {stored}}};
    t.drive(t.cluster.get(pods, "web", "a")); // no run yet
    t.enter();
    t.scope->enter({});
    t.drive(t.cluster.get(pods, "web", "a"));          // none any more
    CHECK(t.run.run(t.cluster.get(pods, "web", "a"))); // by another coroutine
    CHECK(t.spans->all().empty());
    REQUIRE(t.net->seen.size() == 3);
    for (const std::size_t n : {0, 1, 2}) CHECK(t.net->header(n, "traceparent").empty());
    for (const auto& line : t.lines) CHECK(line.find("request answered") == line.npos);
}

TEST_CASE("request span: ids alone tell the server not to record", "[client][traces]")
{
    traced t;
    t.tracing = tracer::ids_only({.seed = 4});
    t.run_span = t.tracing.identify();
    t.enter();
    t.net->replies = {{.status = 200, .body = {stored}}};
    t.drive(t.cluster.get(pods, "web", "a"));
    const auto sent = trace_context::parse(t.net->header(0, "traceparent"));
    REQUIRE(sent);
    CHECK_FALSE(sent->sampled);
    CHECK(sent->trace_text() == t.run_span.trace_text());
}
