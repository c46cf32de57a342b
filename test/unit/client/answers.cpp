// Responses other than the requested one, and how the client reports them.
#include "rest/answer_core.hpp"
#include "rest_fixture.hpp"

#include <kubecoro/client/discovery.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
namespace asio = boost::asio;

namespace {

void has(const std::string& text, const std::string& part)
{
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

const resource_type widgets{.group = "example.com", .version = "v1", .plural = "widgets", .kind = "Widget"};

} // namespace

TEST_CASE("list check: the list has the requested kind", "[client][rest]")
{
    const auto good = [](std::string api_version, std::string kind, const resource_type& asked, bool metadata = false) {
        list_page page;
        page.api_version = std::move(api_version);
        page.kind = std::move(kind);
        const auto checked = check_list(page, asked, metadata);
        if (!checked) CHECK(checked.error() == cond::corrupt);
        return checked.has_value();
    };
    CHECK(good("v1", "PodList", pods));
    for (const char* kind : {"", "NodeList", "Pod", "List", "Status", "PodListList", "PodTemplateList"})
        CHECK_FALSE(good("v1", kind, pods));
    CHECK_FALSE(good("", "PodList", pods));
    CHECK_FALSE(good("apps/v1", "PodList", pods));
    // Metadata-only lists are accepted only where requested; full lists are accepted there too, for servers without
    // support.
    CHECK_FALSE(good("meta.k8s.io/v1", "PartialObjectMetadataList", pods));
    CHECK(good("meta.k8s.io/v1", "PartialObjectMetadataList", pods, true));
    CHECK(good("v1", "PodList", pods, true));
    CHECK_FALSE(good("v1", "PartialObjectMetadataList", pods, true));
    // The list kind of a custom resource is arbitrary; in Kubernetes' own groups it is not.
    CHECK(good("example.com/v1", "WidgetList", widgets));
    CHECK(good("example.com/v1", "Widgets", widgets));
    CHECK_FALSE(good("example.com/v1", "", widgets));
    CHECK_FALSE(good("example.com/v2", "WidgetList", widgets));
    CHECK_FALSE(good("v1", "PodList", widgets));
    const resource_type nodes{.group = "metrics.k8s.io", .version = "v1", .plural = "nodes", .kind = "NodeMetrics"};
    CHECK(good("metrics.k8s.io/v1", "NodeMetricsList", nodes));
    CHECK_FALSE(good("metrics.k8s.io/v1", "Nodes", nodes));
    const resource_type unnamed{.group = "", .version = "v1", .plural = "pods", .kind = ""};
    CHECK(good("v1", "PodList", unnamed));
    CHECK_FALSE(good("v1", "Status", unnamed));
}

TEST_CASE("client: a 200 of another kind does not pass for an empty list", "[client][rest]")
{
    for (const std::string& body :
         {std::string(R"({"items":[]})"),
          std::string(R"({"kind":"Status","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})"),
          std::string(R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null})")}) {
        INFO(body);
        world the;
        the.net->replies = {{.body = {body}}, {.body = {body}}, {.body = {body}}};
        auto c = the.make();
        const auto one = the.run.run(c.list(pods, ""));
        REQUIRE_FALSE(one);
        CHECK(one.error() == cond::corrupt);
        CHECK(one.error().target() == "/api/v1/pods");
        has(one.error().message(), "not v1 PodList");
        CHECK_FALSE(the.run.run(c.list_all(pods, "")));
        auto source = c.provider()->open(pods, {});
        const auto relist = the.run.run(source->list({}));
        REQUIRE_FALSE(relist);
        CHECK(relist.error() == cond::corrupt);
    }
}

TEST_CASE("client: an informer's list must have a version, others need not", "[client][rest]")
{
    world the;
    the.net->replies = {{.body = {list_of("a", "")}}, {.body = {list_of("a", "")}}};
    auto c = the.make();
    auto source = c.provider()->open(pods, {});
    const auto relist = the.run.run(source->list({}));
    REQUIRE_FALSE(relist);
    CHECK(relist.error() == cond::corrupt);
    has(relist.error().message(), "no resourceVersion");
    CHECK(the.run.run(c.list(pods, "")));
}

TEST_CASE("client: a page that is not JSON is reported with its first words", "[client][rest]")
{
    const auto html = [](std::string type) {
        return reply{.body = {"<!DOCTYPE html>\r\n  <title>", "Sign in\x1b[2J</title>", std::string(100'000, 'x')},
                     .headers = {{"content-type", std::move(type)}}};
    };
    world the;
    for (int i = 0; i < 4; ++i) the.net->replies.push_back(html("text/html; charset=utf-8"));
    the.net->replies.push_back(html("TEXT/\x1b[31mHTML"));
    auto c = the.make();
    const auto get = the.run.run(c.get(pods, "ns", "a"));
    REQUIRE_FALSE(get);
    CHECK(get.error() == cond::corrupt);
    CHECK(get.error().target() == "/api/v1/namespaces/ns/pods/a");
    has(get.error().message(), "the response is text/html; charset=utf-8 and not JSON");
    has(get.error().message(), "begins: <!DOCTYPE html> <title>Sign in [2J</title>xxx");
    CHECK(get.error().message().size() < 400);
    CHECK(the.run.run(c.list(pods, "")).error() == cond::corrupt);
    CHECK(the.run.run(c.watch(pods, "")).error() == cond::corrupt);
    CHECK(the.run.run(c.create(pods, "ns", "{}")).error() == cond::corrupt);
    has(the.run.run(c.get(pods, "ns", "a")).error().message(), "the response is TEXT/ [31mHTML and not");
    // Programs that take the name of a resource use discovery first.
    the.net->replies.push_back(html("text/html"));
    const auto resource = the.run.run(find_resource(c, "pods"));
    REQUIRE_FALSE(resource);
    CHECK(resource.error() == cond::corrupt);
    has(resource.error().describe(), "begins: <!DOCTYPE html> <title>Sign in [2J</title>xxx");
    CHECK(resource.error().target() == "/api");
}

TEST_CASE("client: every JSON media type is accepted, and a missing one", "[client][rest]")
{
    for (const char* type : {"application/json", "application/json;stream=watch", "Application/JSON; charset=utf-8",
                             "application/vnd.x+json", ""}) {
        world the;
        the.net->replies = {{.body = {pod("a")}, .headers = {{"content-type", type}}}};
        auto c = the.make();
        CHECK(the.run.run(c.get(pods, "ns", "a")));
        the.net->replies = {
            {.body = {R"({"type":"ADDED","object":)" + pod("a") + "}\n"}, .headers = {{"content-type", type}}}};
        const auto watch = the.run.run(c.watch(pods, "")).value();
        CHECK(the.run.run(watch->next())->size() == 1);
    }
    world raw;
    raw.net->replies = {{.body = {"ok"}, .headers = {{"content-type", "text/plain"}}}};
    auto c = raw.make();
    request healthz;
    healthz.method = "GET";
    healthz.target = "/healthz";
    CHECK(raw.run.run(c.raw(healthz)).value().body == "ok");
}

TEST_CASE("client: plain HTTP to a TLS server is distinguished from a bad request", "[client][rest]")
{
    for (const char* body : {"Client sent an HTTP request to an HTTPS server.\n",
                             "<center>The plain HTTP request was sent to HTTPS port</center>"}) {
        world the;
        the.net->replies = {{.status = 400, .body = {body}, .headers = {{"retry-after", "1"}}}};
        auto c = the.make({}, {.max_retries = 0});
        const auto got = the.run.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(got);
        CHECK(got.error() == cond::invalid);
        has(got.error().message(), "must begin with https://");
        has(got.error().describe(), "HTTP request");
        CHECK(got.error().target() == "/api/v1/namespaces/ns/pods/a");
        CHECK(got.error().retry_after() == std::chrono::seconds{1});
    }
    world the;
    the.net->replies = {{.status = 400, .body = {"no"}}};
    auto c = the.make();
    CHECK(the.run.run(c.get(pods, "ns", "a")).error().message().empty());
}
