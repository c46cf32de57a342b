#include "discovery/discovery_core.hpp"

#include "fixtures.hpp"

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::detail;
using test::document;

namespace {

discovered_resources everything()
{
    auto all = read_aggregated(document("aggregated_api.json"));
    REQUIRE(all);
    auto more = read_aggregated(document("aggregated_apis.json"));
    REQUIRE(more);
    all->resources.insert(all->resources.end(), more->resources.begin(), more->resources.end());
    discovered_resource widget;
    widget.type = {"example.com", "v1", "widgets", "Widget", true, "widget", {"wd"}};
    widget.categories = {"shop"};
    all->resources.push_back(widget);
    widget.type.version = "v1beta1";
    all->resources.push_back(widget);
    // The same names in another group.
    widget.type.group = "examples.org";
    all->resources.push_back(widget);
    return *all;
}

std::string picked(const std::string& word)
{
    static const auto all = everything();
    auto found = pick_resource(all, word);
    return found ? found->api_version() + "/" + found->plural : found.error().message();
}

} // namespace

TEST_CASE("discovery: aggregated documents give the resources with all their details", "[client][discovery]")
{
    const auto document_of_core = read_aggregated(document("aggregated_api.json"));
    REQUIRE(document_of_core);
    CHECK(document_of_core->missing.empty());
    const auto* core = &document_of_core->resources;
    const auto pods = std::find_if(core->begin(), core->end(), [](const auto& r) { return r.type.plural == "pods"; });
    REQUIRE(pods != core->end());
    CHECK(pods->type.group.empty());
    CHECK(pods->type.version == "v1");
    CHECK(pods->type.kind == "Pod");
    CHECK(pods->type.singular == "pod");
    CHECK(pods->type.namespaced);
    CHECK(pods->type.short_names == std::vector<std::string>{"po"});
    CHECK(std::count(pods->verbs.begin(), pods->verbs.end(), "watch") == 1);
    CHECK(std::count(pods->subresources.begin(), pods->subresources.end(), "status") == 1);
    CHECK(std::count(pods->categories.begin(), pods->categories.end(), "all") == 1);
    const auto nodes = std::find_if(core->begin(), core->end(), [](const auto& r) { return r.type.plural == "nodes"; });
    REQUIRE(nodes != core->end());
    CHECK_FALSE(nodes->type.namespaced);
}

TEST_CASE("discovery: plain documents give the same as aggregated ones", "[client][discovery]")
{
    auto plain = read_resource_list(document("api_v1.json"), {"", "v1"});
    const auto document_of_core = read_aggregated(document("aggregated_api.json"));
    REQUIRE(plain);
    REQUIRE(document_of_core);
    const auto* aggregated = &document_of_core->resources;
    REQUIRE(plain->size() == aggregated->size());
    for (const auto& r : *aggregated) {
        INFO(r.type.plural);
        const auto same = std::find_if(plain->begin(), plain->end(), [&](const auto& p) { return p.type == r.type; });
        REQUIRE(same != plain->end());
        CHECK(same->type.kind == r.type.kind);
        CHECK(same->type.namespaced == r.type.namespaced);
        CHECK(same->type.singular == r.type.singular);
        CHECK(same->type.short_names == r.type.short_names);
        CHECK(same->verbs == r.verbs);
        CHECK(same->categories == r.categories);
        auto a = same->subresources, b = r.subresources;
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        CHECK(a == b);
    }
    auto apps = read_resource_list(document("apis_apps_v1.json"), {"apps", "v1"});
    REQUIRE(apps);
    CHECK(pick_resource({*apps, {}}, "deploy")->display_name() == "deployments.apps");
}

TEST_CASE("discovery: groups keep the server's order, preferred versions first", "[client][discovery]")
{
    auto core = read_group_versions(document("api.json"));
    REQUIRE(core);
    CHECK(*core == std::vector<group_version>{{"", "v1"}});
    auto groups = read_group_versions(document("apis.json"));
    REQUIRE(groups);
    REQUIRE(groups->size() > 10);
    CHECK(groups->front() == group_version{"apiregistration.k8s.io", "v1"});
    auto reordered = read_group_versions(*object::parse(
        R"({"kind":"APIGroupList","groups":[{"name":"g","versions":[{"groupVersion":"g/v2"},{"groupVersion":"g/v1"}],
            "preferredVersion":{"groupVersion":"g/v1"}}]})"));
    REQUIRE(reordered);
    CHECK(*reordered == std::vector<group_version>{{"g", "v1"}, {"g", "v2"}});
}

TEST_CASE("discovery: plural, singular, short name and kind all find their resource", "[client][discovery]")
{
    for (const char* word : {"pods", "pod", "po", "Pod", "PODS", "pods.v1."}) CHECK(picked(word) == "v1/pods");
    for (const char* word :
         {"deployments", "deploy", "Deployment", "deployments.apps", "deployment.v1.apps", "deploy.ap"})
        CHECK(picked(word) == "apps/v1/deployments");
    for (const char* word : {"widgets", "wd", "widgets.example.com", "widgets.v1.example.com"})
        CHECK(picked(word) == "example.com/v1/widgets");
    CHECK(picked("widgets.v1beta1.example.com") == "example.com/v1beta1/widgets");
    CHECK(picked("ev") == "v1/events");
    CHECK(picked("events.events.k8s.io") == "events.k8s.io/v1/events");
    CHECK(picked("crd") == "apiextensions.k8s.io/v1/customresourcedefinitions");
}

TEST_CASE("discovery: an unknown word yields suggestions", "[client][discovery]")
{
    CHECK(picked("pdos") == "the server has no resource \"pdos\"; did you mean pods?");
    CHECK(picked("deploymens").find("did you mean deployments.apps?") != std::string::npos);
    CHECK(picked("pods.apps").find("did you mean pods") != std::string::npos);
    CHECK(picked("xyzzy") == "the server has no resource \"xyzzy\"");
    CHECK(picked(std::string(100'000, 'p')).size() < 300);
    CHECK(pick_resource({}, "").error().condition() == cond::invalid);
    CHECK(pick_resource({}, "pods").error().condition() == cond::not_found);
    for (const char* word : {".", "..", ".apps", "pods.v2.", "a.b.c.d.e"})
        CHECK(picked(word).find("has no resource") != std::string::npos);
}

TEST_CASE("discovery: other documents are corrupt, and unexpected fields are harmless", "[client][discovery]")
{
    const auto pod = *object::parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}})");
    CHECK(read_aggregated(pod).error().condition() == cond::corrupt);
    CHECK(read_group_versions(pod).error().condition() == cond::corrupt);
    CHECK(read_resource_list(pod, {}).error().condition() == cond::corrupt);
    auto odd = read_aggregated(*object::parse(
        R"({"kind":"APIGroupDiscoveryList","items":[7,{"versions":[{"version":7,"resources":[1,{"resource":[]},
            {"resource":"only-a-parent"},{"resource":"x","responseKind":{"kind":"X"},"shortNames":"no","verbs":[1,"get"]}]}]}]})"));
    REQUIRE(odd);
    REQUIRE(odd->resources.size() == 1);
    CHECK(odd->resources.front().verbs == std::vector<std::string>{"get"});
    CHECK_FALSE(odd->resources.front().type.namespaced);
}

TEST_CASE("discovery: a stale version is missing and hides no other", "[client][discovery]")
{
    const auto all = read_aggregated(*object::parse(
        R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1",
            "freshness":"Stale","resources":[{"resource":"old","responseKind":{"kind":"Old"}}]}]},
            {"metadata":{"name":"apps"},"versions":[{"version":"v1","freshness":"Current",
            "resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"}}]}]}]})"));
    REQUIRE(all);
    REQUIRE(all->resources.size() == 1);
    CHECK(all->resources[0].type.plural == "deployments");
    REQUIRE(all->missing.size() == 1);
    CHECK(all->missing[0].group == "metrics.k8s.io");
    CHECK(all->missing[0].version == "v1");
    CHECK(all->missing[0].why == cond::unreachable);
    CHECK(pick_resource(*all, "old").error().message() ==
          "the server has no resource \"old\"; these groups do not respond: metrics.k8s.io/v1");
}

TEST_CASE("discovery: all resources that fit a name, preferred first", "[client][discovery]")
{
    const auto all = everything();
    const auto names = [&](const std::string& word) {
        const auto found = matching_resources(all, word);
        if (!found) return found.error().message();
        std::string out;
        for (const auto& t : *found) out += t.api_version() + "/" + t.plural + " ";
        return out;
    };
    CHECK(names("wd") == "example.com/v1/widgets examples.org/v1beta1/widgets ");
    CHECK(names("Widget") == "example.com/v1/widgets examples.org/v1beta1/widgets ");
    CHECK(names("events") == "v1/events events.k8s.io/v1/events ");
    CHECK(names("deploy") == "apps/v1/deployments ");
    // The beginning of a group's name must fit one group.
    CHECK(names("wd.example.") == "example.com/v1/widgets ");
    CHECK(names("wd.exa") == "several groups begin with \"exa\": widgets.example.com, widgets.examples.org");
    CHECK(pick_resource(all, "wd.exa").error() == cond::invalid);
}

TEST_CASE("discovery: kinds as objects name them, and categories", "[client][discovery]")
{
    const auto all = everything();
    CHECK(pick_kind(all, "apps/v1", "Deployment")->plural == "deployments");
    CHECK(pick_kind(all, "v1", "Pod")->plural == "pods");
    CHECK(pick_kind(all, "example.com/v1beta1", "Widget")->version == "v1beta1");
    CHECK(pick_kind(all, "apps/v1", "deployment").error() == cond::not_found);
    CHECK(pick_kind(all, "apps/v2", "Deployment").error().message() ==
          "the server has no kind \"Deployment\" in apps/v2");
    const auto shop = members_of(all, "shop");
    REQUIRE(shop.size() == 2);
    CHECK(shop[0].api_version() == "example.com/v1");
    CHECK(shop[1].api_version() == "examples.org/v1beta1");
    CHECK(members_of(all, "all").size() > 5);
    CHECK(members_of(all, "nothing").empty());
}

TEST_CASE("discovery: the version of a server and its index of OpenAPI", "[client][discovery]")
{
    const auto version =
        read_version(R"({"major":"1","minor":"36+","gitVersion":"v1.36.3","platform":"linux/amd64"})").value();
    CHECK(version.major == "1");
    CHECK(version.minor == "36+");
    CHECK(version.git_version == "v1.36.3");
    CHECK(version.platform == "linux/amd64");
    for (const char* bad : {"", "[]", "{}", R"({"gitVersion":7})"}) CHECK(read_version(bad).error() == cond::corrupt);

    const auto index =
        read_openapi_index(R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=0A"}}})").value();
    CHECK(index == std::vector<openapi_document>{{"api/v1", "/openapi/v3/api/v1?hash=0A"}});
    CHECK(read_openapi_index(R"({"paths":{}})").value().empty());
    for (const std::string& target : {std::string("https://elsewhere/openapi/v3/x"), std::string("//elsewhere"),
                                      std::string("/api/v1/secrets"), std::string("/openapi/v3"), std::string(""),
                                      std::string("/openapi/v3/a b"), std::string("/openapi/v3/a\\r\\nX: y")}) {
        INFO(target);
        CHECK(read_openapi_index(R"({"paths":{"a":{"serverRelativeURL":")" + target + R"("}}})").error() ==
              cond::corrupt);
    }
    CHECK(read_openapi_index("{}").error() == cond::corrupt);
}
