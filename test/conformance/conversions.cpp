// Conformance cases: objects that a server has converted by a program's webhook, over HTTPS.
#include "cluster_under_test.hpp"
#include "site.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/controller/install_crds.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>

using namespace kubecoro;
using namespace kubecoro::conformance;
using webhooks_test::site;
using webhooks_test::site_v1;

namespace json = boost::json;

namespace {

std::string free_address()
{
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor at(io, {boost::asio::ip::address_v4::loopback(), 0});
    return "127.0.0.1:" + std::to_string(at.local_endpoint().port());
}

json::object site_object(std::string_view version, std::string_view name, std::string_view spec)
{
    return {{"apiVersion", "example.com/" + std::string(version)},
            {"kind", "Site"},
            {"metadata", {{"name", name}}},
            {"spec", json::parse(spec)}};
}

/// The kind Site in two versions, with a note that the program does not know, and the program that converts it.
struct converted_sites
{
    cluster_under_test& c;
    std::string address = free_address();
    manager m;

    explicit converted_sites(cluster_under_test& cluster)
        : c(cluster), m(c.connect({}), {.name = c.unique("conversions")})
    {
        (void)c.run(remove_and_wait(c.api(), definitions, {"", "sites.example.com"})); // that of another run
        std::vector<json::value> all{definition()};
        REQUIRE(c.run(install_crds(c.api(), std::move(all))));
        webhooks hooks(m, {.address = address, .url = "https://" + address, .ns = c.ns()});
        hooks.converts<site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
        m.start();
        const auto probe = site_object("v1", "probe", R"({"host":"a"})");
        const auto converts = [&] {
            const auto tried = c.run(old().create(probe, {.dry_run = true}));
            return tried && (*tried)["spec"]["host"].as_string() == "a";
        };
        REQUIRE(test::eventually(converts));
    }
    ~converted_sites()
    {
        (void)c.run(sites().remove_collection()); // while they are converted
        CHECK(c.run(m.stop()));
        (void)c.run(c.api().remove(definitions, "", "sites.example.com"));
        // A kube-apiserver without controllers does not empty the namespace.
        (void)c.run(c.api().remove({"", "v1", "secrets", "Secret"}, c.ns(), m.name() + "-webhooks"));
    }
    converted_sites(const converted_sites&) = delete;
    converted_sites& operator=(const converted_sites&) = delete;

    [[nodiscard]] static json::object definition()
    {
        auto out = definition_of<site>({.other_versions = {version_of<site_v1>()}}).value();
        for (auto& each : out["spec"].as_object()["versions"].as_array()) {
            auto& schema = each.at("schema").at("openAPIV3Schema");
            schema.at("properties").at("spec").at("properties").as_object()["note"] = json::object{{"type", "string"}};
            if (each.at("name") == "v1")
                each.as_object()["selectableFields"] = json::array{json::object{{"jsonPath", ".spec.host"}}};
        }
        return out;
    }
    [[nodiscard]] resource_client<object> sites() const { return c.in_ns(site::resource()); }
    [[nodiscard]] resource_client<object> old() const { return c.in_ns(site_v1::resource()); }

    resource_type definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                              false};
};

/// The specifications of a list's objects, all of a version.
std::string specs(const list_page& page, std::string_view version)
{
    std::string out;
    for (const auto& each : page.items) {
        CHECK(each.api_version() == version);
        out += std::string(each.name()) + " " + json::serialize(each["spec"].to_json()) + "\n";
    }
    return out;
}

} // namespace

TEST_CASE("conversions: objects written in one version are read and listed in the other", "[conformance][webhooks]")
{
    cluster_under_test c;
    const converted_sites s(c);
    const auto made = c.run(s.old().create(site_object("v1", "a", R"({"host":"a.example","note":"kept"})"))).value();
    CHECK(json::serialize(made["spec"].to_json()) == R"({"host":"a.example","note":"kept"})");
    const auto read = c.run(s.sites().get("a")).value();
    CHECK(read.api_version() == "example.com/v2");
    CHECK(json::serialize(read["spec"].to_json()) == R"({"hosts":["a.example"],"note":"kept"})");
    CHECK(read.uid() == made.uid());
    REQUIRE(c.run(s.sites().create(site_object("v2", "b", R"({"hosts":["b.example"],"note":"too"})"))));
    CHECK(specs(c.run(s.old().list()).value(), "example.com/v1") ==
          "a {\"host\":\"a.example\",\"note\":\"kept\"}\nb {\"host\":\"b.example\",\"note\":\"too\"}\n");
    CHECK(specs(c.run(s.sites().list()).value(), "example.com/v2") ==
          "a {\"hosts\":[\"a.example\"],\"note\":\"kept\"}\nb {\"hosts\":[\"b.example\"],\"note\":\"too\"}\n");
    REQUIRE(c.run(s.old().patch("b", patch_kind::merge, R"({"spec":{"replicas":2}})")));
    const auto changed = c.run(s.sites().get("b")).value();
    CHECK(json::serialize(changed["spec"].to_json()) == R"({"hosts":["b.example"],"note":"too","replicas":2})");
}

TEST_CASE("conversions: lists and watches select objects in their version", "[conformance][webhooks]")
{
    cluster_under_test c;
    const converted_sites s(c);
    for (const std::string name : {"a", "b"})
        REQUIRE(c.run(s.sites().create(site_object("v2", name, "{\"hosts\":[\"" + name + ".example\"]}"))));
    const auto found = c.run(s.old().list({.field_selector = "spec.host=b.example"})).value();
    CHECK(specs(found, "example.com/v1") == "b {\"host\":\"b.example\"}\n");
    CHECK(c.run(s.sites().list({.field_selector = "spec.host=b.example"})).error() == cond::invalid);

    auto watch =
        c.run(s.old().watch({.field_selector = "spec.host=b.example", .resource_version = found.resource_version}))
            .value();
    REQUIRE(c.run(s.sites().patch("a", patch_kind::merge, R"({"spec":{"hosts":["b.example"]}})")));
    REQUIRE(c.run(s.sites().patch("b", patch_kind::merge, R"({"spec":{"hosts":["x.example"]}})")));
    const auto entered = c.next_event(*watch).value();
    CHECK(entered.type == watch_event_type::added);
    CHECK(entered.obj.name() == "a");
    const auto left = c.next_event(*watch).value();
    CHECK(left.type == watch_event_type::deleted);
    CHECK(left.obj.name() == "b");
    CHECK(left.obj["spec"]["host"].as_string() == "b.example");
}
