// Metrics of requests: their labels, and what is counted when.
#include "observe/request_meters.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/testing/recording.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;

TEST_CASE("meters: the resource of a request, without names of objects and namespaces", "[client][metrics]")
{
    CHECK(resource_label("/api/v1/pods") == "pods");
    CHECK(resource_label("/api/v1/pods?limit=500&continue=/x/y") == "pods");
    CHECK(resource_label("/api/v1/namespaces/shop/pods/cart") == "pods");
    CHECK(resource_label("/api/v1/namespaces/shop/pods/cart/log") == "pods/log");
    CHECK(resource_label("/api/v1/namespaces/shop/services/cart/proxy/any/path/at/all") == "services/proxy");
    CHECK(resource_label("/apis/apps/v1/namespaces/shop/deployments/cart/scale") == "deployments.apps/scale");
    CHECK(resource_label("/apis/example.com/v1/widgets/a/status") == "widgets.example.com/status");
    CHECK(resource_label("/api/v1/nodes/n1/status") == "nodes/status");
    CHECK(resource_label("/api/v1/namespaces") == "namespaces");
    CHECK(resource_label("/api/v1/namespaces/shop") == "namespaces");
    CHECK(resource_label("/api/v1/namespaces/shop/status") == "namespaces/status");
    CHECK(resource_label("/api/v1/namespaces/shop/finalize") == "namespaces/finalize");
    for (const char* none :
         {"", "/", "/api", "/api/v1", "/apis", "/apis/apps/v1", "/version", "/openapi/v3", "/healthz"})
        CHECK(resource_label(none) == "none");
    CHECK(resource_label("/api/v1/Pods") == "other");
    CHECK(resource_label("/api/v1/p%2Fods") == "other");
    CHECK(resource_label("/api/v1/" + std::string(500, 'a')) == "other");
}

TEST_CASE("meters: codes and methods have a bounded number of labels", "[client][metrics]")
{
    CHECK(code_label(200) == "200");
    CHECK(code_label(429) == "429");
    CHECK(code_label(504) == "504");
    CHECK(code_label(0) == "<error>");
    CHECK(code_label(700) == "<error>");
    CHECK(code_label(-1) == "<error>");
    CHECK(code_label(299) == "2xx");
    CHECK(code_label(418) == "4xx");
    std::set<std::string_view> all;
    for (int status = -10; status < 2000; ++status) all.insert(code_label(status));
    CHECK(all.size() < 40);
    CHECK(method_label("PATCH") == "PATCH");
    CHECK(method_label("PROPFIND") == "other");
}

TEST_CASE("meters: a stream is a watch or a log that is followed", "[client][metrics]")
{
    CHECK(is_stream("/api/v1/pods?limit=1&watch=true"));
    CHECK(is_stream("/api/v1/namespaces/a/pods/b/log?follow=true"));
    CHECK_FALSE(is_stream("/api/v1/pods?labelSelector=watch"));
    CHECK_FALSE(is_stream("/api/v1/pods?xwatch=true"));
    CHECK_FALSE(is_stream("/watch=true"));
}

TEST_CASE("meters: a tenant's paths do not add time series without end", "[client][metrics]")
{
    const auto numbers = std::make_shared<testing::recording_metrics>();
    request_meters meters(numbers, "h:443");
    for (int i = 0; i < 5000; ++i) meters.line("GET", "/api/v1/r" + std::to_string(i))->answered(200, 1s);
    CHECK(numbers->updates("rest_client_requests_total") == 5000);
    const auto label = [](const std::string& resource) {
        return metric_labels{{"code", "200"}, {"method", "GET"}, {"host", "h:443"}, {"resource", resource}};
    };
    CHECK(numbers->value("rest_client_requests_total", label("r0")) == 1);
    CHECK(numbers->value("rest_client_requests_total", label("other")) ==
          5000 - static_cast<double>(request_meters::most_resources));
    CHECK(numbers->value("rest_client_requests_total", label("r4999")) == 0);
}

TEST_CASE("client: requests are counted and timed under client-go's names", "[client][metrics]")
{
    world the;
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options o;
    o.metrics = numbers;
    o.seed = 1;
    auto c = the.make(credentials(), o);
    the.net->replies = {{.status = 429, .body = {"x"}, .headers = {{"retry-after", "2"}}},
                        {.body = {pod("a").substr(0, 10), pod("a").substr(10)}, .pause = 500ms},
                        {.status = 404, .body = {"{}"}}};
    const auto begin = the.run.clock().now();
    REQUIRE(the.run.run(c.create(pods, "ns", pod("a"))));
    const auto took = std::chrono::duration<double>(the.run.clock().now() - begin).count();
    CHECK_FALSE(the.run.run(c.get(pods, "ns", "gone")));
    const auto counted = [&](const char* name, const char* label, const char* code, const char* method) {
        return numbers->value(name, {{"code", code}, {label, method}, {"host", ""}, {"resource", "pods"}});
    };
    CHECK(counted("rest_client_requests_total", "method", "429", "POST") == 1);
    CHECK(counted("rest_client_requests_total", "method", "200", "POST") == 1);
    CHECK(counted("rest_client_requests_total", "method", "404", "GET") == 1);
    CHECK(counted("rest_client_request_retries_total", "verb", "429", "POST") == 1);
    const metric_labels post{{"verb", "POST"}, {"host", ""}, {"resource", "pods"}};
    // The whole request with its retry, up to the end of the body.
    CHECK(numbers->updates("rest_client_request_duration_seconds", post) == 1);
    CHECK(std::abs(numbers->value("rest_client_request_duration_seconds", post) - took) < 1e-6);
    CHECK(numbers->value("rest_client_response_size_bytes", post) == static_cast<double>(pod("a").size()));
    CHECK(numbers->value("rest_client_request_size_bytes", post) == static_cast<double>(pod("a").size()));
    CHECK(numbers->updates("kubecoro_client_first_byte_seconds", post) == 2);
}

TEST_CASE("client: a response that comes at once is measured once, and needs no limit of time", "[client][metrics]")
{
    world the;
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options o;
    o.metrics = numbers;
    o.max_requests = 1;
    auto c = the.make(credentials(), o);
    the.net->replies = {{.body = {pod("a").substr(0, 10), pod("a").substr(10)}, .comes_at_once = true},
                        {.body = {pod("b")}, .comes_at_once = true}};
    for (const char* name : {"a", "b"}) {
        const auto got = the.run.run(c.get(pods, "ns", name));
        REQUIRE(got);
        CHECK(got->name() == name);
    }
    const metric_labels get{{"verb", "GET"}, {"host", ""}, {"resource", "pods"}};
    CHECK(numbers->updates("rest_client_request_duration_seconds", get) == 2);
    CHECK(numbers->value("rest_client_response_size_bytes", get) == static_cast<double>(2 * pod("a").size()));
}

namespace {

/// A sink whose counters or histograms cannot be made.
class failing_metrics final : public metrics
{
public:
    std::shared_ptr<counter> make_counter(std::string_view name, metric_labels labels) override
    {
        if (no_counters) throw std::runtime_error("no counters today");
        return inner.make_counter(name, std::move(labels));
    }
    std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels labels) override
    {
        return inner.make_gauge(name, std::move(labels));
    }
    std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels labels) override
    {
        if (no_histograms) throw std::runtime_error("no histograms today");
        return inner.make_histogram(name, std::move(labels));
    }
    testing::recording_metrics inner;
    bool no_counters = false;
    bool no_histograms = false;
};

} // namespace

TEST_CASE("client: a request that cannot be measured has not failed", "[client][metrics]")
{
    world the;
    const auto numbers = std::make_shared<failing_metrics>();
    client_options o;
    o.metrics = numbers;
    auto c = the.make(credentials(), o);
    const auto create = [&] {
        the.net->replies = {{.status = 429, .headers = {{"retry-after", "1"}}}, {.status = 201, .body = {pod("a")}}};
        CHECK(the.run.run(c.create(pods, "ns", pod("a"))));
        CHECK(the.net->replies.empty());
    };
    const auto lines = [&] {
        return std::count_if(the.lines.begin(), the.lines.end(),
                             [](const auto& l) { return l.find("a request could not be measured") != l.npos; });
    };
    numbers->no_histograms = true;
    create();
    CHECK(lines() == 1);
    numbers->no_histograms = false;
    numbers->no_counters = true;
    create();
    CHECK(lines() == 1); // one in ten seconds
    the.run.advance(10s);
    create();
    CHECK(lines() == 2);
    numbers->no_counters = false;
    create();
    CHECK(numbers->inner.updates("rest_client_requests_total") == 2);
}

TEST_CASE("client: a watch is counted, but has neither duration nor size", "[client][metrics]")
{
    world the;
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options o;
    o.metrics = numbers;
    auto c = the.make(credentials(), o);
    the.net->replies = {{.body = {R"({"type":"ADDED","object":)" + pod("a") + "}\n"}}};
    auto stream = the.run.run(c.watch(pods, ""));
    REQUIRE(stream);
    REQUIRE(the.run.run((*stream)->next()));
    REQUIRE(the.run.run((*stream)->next()));
    CHECK(numbers->value("rest_client_requests_total") == 1);
    CHECK(numbers->updates("rest_client_request_duration_seconds") == 0);
    CHECK(numbers->updates("rest_client_response_size_bytes") == 0);
    // A request without a response.
    CHECK_FALSE(the.run.run(c.get(pods, "ns", "a")));
    CHECK(numbers->value("rest_client_requests_total",
                         {{"code", "<error>"}, {"method", "GET"}, {"host", ""}, {"resource", "pods"}}) == 1);
}
