// End-to-end test of the operator of websites. The cluster runs no controllers: the case plays that of Deployments, and nothing collects garbage.
#include "cluster.hpp"
#include "operator_rights.hpp"
#include "running_operator.hpp"

#include "website_reconciler.hpp"
#include "website_webhooks.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/client/subresources.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/serialize.hpp>

#include <optional>
#include <string>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::e2e;
using namespace kubecoro::website_operator;
using apps_v1::deployment;
using core_v1::config_map;
using core_v1::service;

namespace {

/// Creates the definition, and removes it with all websites at the end.
void define_websites(cluster& c)
{
    for (auto& part : load_manifests(definition().value(), "crd.yaml").value())
        c.make(untyped::custom_resource_definition::resource(), "", "websites.web.kubecoro.dev",
               boost::json::serialize(part));
    const auto served = c.eventually([&] { return c.run(c.api().list(website::resource(), "default")).has_value(); });
    REQUIRE(served);
}

/// A replica, with the election that its manifest has rights for, and webhooks at an address that the server reaches.
struct running_replica : running_operator
{
    running_replica(cluster& c, const client& who, const std::string& ns, const std::string& address)
        : running_operator(c, who,
                           {.name = "website", .namespaces = {ns}, .leader_election = {.lease = "website", .ns = ns}},
                           [&](manager& m) {
                               add_websites(m);
                               add_webhooks(m, {.address = address, .url = "https://" + address, .ns = ns});
                           })
    {
    }
};

/// Removes the configurations of the webhooks at the end: the server would go on asking.
struct asked
{
    cluster& c;
    ~asked()
    {
        for (const std::string plural : {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"})
            (void)c.run(c.api().remove({"admissionregistration.k8s.io", "v1", plural, "", false}, "", "website"));
    }
};

struct sites
{
    cluster& c;
    std::string ns;

    void put(const std::string& name, std::int32_t replicas) const
    {
        website site{.metadata = {}, .spec = {}, .status = {}};
        site.metadata.name = name;
        site.spec.pages["index.html"] = "hello";
        site.spec.replicas = replicas;
        c.run(c.api().resource<website>(ns).create(site)).value();
    }
    template<class T>
    [[nodiscard]] std::optional<T> read(const std::string& name) const
    {
        const auto got = c.run(c.api().get(T::resource(), ns, name));
        if (!got) return std::nullopt;
        return read_struct<T>(*got).value();
    }
    /// "True Serving 2 of 2 pods are ready", of the condition Ready for the newest generation.
    [[nodiscard]] std::string ready(const std::string& name) const
    {
        const auto site = read<website>(name);
        if (!site) return "gone";
        for (const auto& now : site->status.conditions)
            if (now.type == "Ready" && now.observedGeneration == site->metadata.generation)
                return now.status.value_or("") + " " + now.reason.value_or("") + " " + now.message.value_or("");
        return "unknown";
    }
    bool becomes(const std::string& name, const std::string& state) const
    {
        const bool did = c.eventually([&] { return ready(name) == state; });
        if (!did) UNSCOPED_INFO(name << " is: " << ready(name));
        return did;
    }
    /// As the controller of Deployments does, for pods that are ready at once.
    void play_deployments(const std::string& name) const
    {
        const auto d = c.run(c.api().get(deployment::resource(), ns, name)).value();
        const auto n = std::to_string(d.path("spec.replicas").as_int64());
        const auto status = R"({"status":{"observedGeneration":)" + std::to_string(d.generation()) + R"(,"replicas":)" +
                            n + R"(,"updatedReplicas":)" + n + R"(,"readyReplicas":)" + n + R"(,"availableReplicas":)" +
                            n + "}}";
        c.run(c.api().patch(deployment::resource(), ns, name, patch_kind::merge, status, {}, "status")).value();
    }
    template<class T>
    [[nodiscard]] bool is_owned(const std::string& name, const std::string& by) const
    {
        const auto child = read<T>(name);
        const auto owner = read<website>(by);
        if (!child || !owner || child->metadata.ownerReferences.size() != 1) return false;
        const auto& r = child->metadata.ownerReferences.front();
        return r.uid == owner->metadata.uid && r.kind == "Website" && r.controller == true &&
               r.blockOwnerDeletion == true;
    }
    /// Whether webhooks are asked: they complete a site without an index. Only tried, so that nothing is left.
    [[nodiscard]] bool are_asked() const
    {
        website site{.metadata = {}, .spec = {}, .status = {}};
        site.metadata.name = "probe";
        site.spec.pages["about.html"] = "us";
        const auto tried = c.run(c.api().resource<website>(ns).create(site, {.dry_run = true}));
        return tried && read_struct<website>(*tried).value().spec.pages.contains("index.html");
    }
    [[nodiscard]] std::size_t listed() const
    {
        const auto all = read<config_map>(std::string(catalogue));
        return all ? all->data.size() : 0;
    }
};

} // namespace

TEST_CASE("website: children, conditions, scale and finalizer, with the rights of its manifest", "[operators]")
{
    cluster c;
    define_websites(c);
    const auto ns = c.make_namespace("website");
    const auto who = with_rights_of(c, KUBECORO_OPERATORS "/website/manifests/rbac.yaml", "website", ns);
    const sites all{c, ns};
    const asked configurations{c};
    const auto address = "127.0.0.1:" + std::to_string(free_port());
    {
        running_replica one(c, who, ns, address);
        CHECK(c.eventually([&] { return all.are_asked(); }));
        all.put("blog", 2);
        CHECK(all.becomes("blog", "False Progressing 0 of 2 pods are ready"));
        CHECK(all.is_owned<deployment>("blog", "blog"));
        CHECK(all.is_owned<service>("blog", "blog"));
        CHECK(all.is_owned<config_map>("blog-pages", "blog"));
        CHECK(all.listed() == 1);
        all.play_deployments("blog");
        CHECK(all.becomes("blog", "True Serving 2 of 2 pods are ready"));

        // A removed child comes back, and the server's defaults are no change.
        const auto before = all.read<deployment>("blog")->metadata.generation;
        c.run(c.api().remove(service::resource(), ns, "blog")).value();
        CHECK(c.eventually([&] { return all.is_owned<service>("blog", "blog"); }));
        CHECK(all.read<deployment>("blog")->metadata.generation == before);

        c.run(set_scale(c.api(), website::resource(), ns, "blog", 3)).value();
        CHECK(c.eventually([&] { return all.read<deployment>("blog")->spec.replicas == 3; }));
        all.play_deployments("blog");
        CHECK(all.becomes("blog", "True Serving 3 of 3 pods are ready"));

        // The first version of the kind, in both directions.
        const auto old = c.run(c.api().get(website_v1alpha1::resource(), ns, "blog")).value();
        CHECK(old.path("spec.size").as_int64() == 3);
        c.run(retry_on_conflict<website_v1alpha1>(c.api(), {ns, "blog"}, [](website_v1alpha1& s) {
             s.spec.files["index.html"] = "new";
         })).value();
        CHECK(all.read<website>("blog")->spec.pages.at("index.html") == "new");
        website wrong{.metadata = {}, .spec = {}, .status = {}};
        wrong.metadata.name = "wrong";
        wrong.spec.pages["a b"] = "";
        const auto refused = c.run(c.api().resource<website>(ns).create(wrong));
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == cond::invalid);
        CHECK(refused.error().describe().find("a b is no file name") != std::string::npos);
    }
    // Another replica takes the Lease. The name of somebody else's object is left alone.
    c.run(c.api().create(config_map::resource(), ns,
                         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop-pages"},"data":{"a":"b"}})"))
        .value();
    c.run(c.api().remove(website::resource(), ns, "blog")).value();
    CHECK(all.read<website>("blog")); // its finalizer waits for an operator
    {
        running_replica other(c, who, ns, address);
        CHECK(c.eventually([&] { return !all.read<website>("blog"); }));
        CHECK(c.eventually([&] { return all.are_asked(); }));
        all.put("shop", 1);
        CHECK(c.eventually([&] { return all.ready("shop").starts_with("False NameTaken"); }));
        CHECK(all.read<config_map>("shop-pages")->data.contains("a"));
        CHECK(all.listed() == 0);
        // The definition refuses what the operator could not do.
        const auto wrong = c.run(c.api().create(
            website::resource(), ns,
            R"({"apiVersion":"web.kubecoro.dev/v1","kind":"Website","metadata":{"name":"w"},"spec":{"replicas":101,"pages":{}}})"));
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error() == cond::invalid);
        c.run(c.api().remove(website::resource(), ns, "shop")).value();
        CHECK(c.eventually([&] { return !all.read<website>("shop"); }));
    }
}
