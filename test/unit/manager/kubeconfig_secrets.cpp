// Clusters that Secrets register: which Secrets count, and what their writers may not do.
#include "clusters_fixture.hpp"

#include <kubecoro/api/bytes.hpp>

using namespace manager_test;

namespace {

std::string kubeconfig(const std::string& user, const std::string& cluster = "server: 'https://127.0.0.1:1'")
{
    return "clusters: [{name: c, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" + user +
           "}}]\ncontexts: [{name: one, context: {cluster: c, user: u}}]\ncurrent-context: one\n";
}

struct registry
{
    world w;
    lines seen;
    managed_clusters handle;

    explicit registry(kubeconfig_secrets where = {.ns = "fleet"})
    {
        const core_v1::namespace_ ns{.metadata = {.name = "fleet"}};
        REQUIRE(w.run.run(w.cluster.resource<core_v1::namespace_>().create(ns)));
        handle = w.m->clusters(std::move(where), noting(seen));
        w.begin();
    }
    void put(const std::string& name, const std::string& text,
             std::map<std::string, std::string> labels = {{"sigs.k8s.io/multicluster-runtime-kubeconfig", "true"}})
    {
        secret s{.metadata = {.name = name, .labels = std::move(labels)}};
        s.data["kubeconfig"] = bytes(text);
        REQUIRE(w.run.run(w.cluster.resource<secret>("fleet").create(s)));
        w.run.advance(1s);
    }
    void patch(const std::string& name, const std::string& merge)
    {
        REQUIRE(w.run.run(w.cluster.patch(secret::resource(), "fleet", name, patch_kind::merge, merge)));
        w.run.advance(1s);
    }
    [[nodiscard]] std::string complaint(const std::string& name) const
    {
        for (const auto& c : handle.stats())
            if (c.name == name && c.last_failure) return c.last_failure->describe();
        return {};
    }
};

} // namespace

TEST_CASE("kubeconfig secrets: those with the label are clusters, as long as they exist", "[clusters]")
{
    registry r;
    CHECK(r.handle.stats().empty());
    r.put("eu", kubeconfig("token: t"));
    r.put("other", kubeconfig("token: t"), {{"app", "shop"}});
    CHECK(states(r.handle.stats()) == "eu joining");
    CHECK(r.complaint("eu").empty());
    REQUIRE(r.w.run.run(r.w.cluster.remove(secret::resource(), "fleet", "eu")));
    r.w.run.advance(1s);
    CHECK(r.handle.stats().empty());
}

TEST_CASE("kubeconfig secrets: new content joins again, new annotations do nothing", "[clusters]")
{
    registry r;
    r.put("eu", kubeconfig("exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}"));
    CHECK(states(r.handle.stats()) == "eu resting");
    const auto before = r.handle.stats().front().attempts;
    r.patch("eu", R"({"metadata":{"annotations":{"a":"b"}}})");
    CHECK(r.handle.stats().front().attempts >= before);
    CHECK(r.w.log.count("a cluster leaves") == 0);
    r.patch("eu", R"({"data":{"kubeconfig":")" + bytes(kubeconfig("token: t")).base64() + R"("}})");
    CHECK(r.w.log.count("a cluster leaves") == 1);
    CHECK(states(r.handle.stats()) == "eu joining");
    CHECK(r.handle.stats().front().attempts == 1);
    r.patch("eu", R"({"metadata":{"labels":{"sigs.k8s.io/multicluster-runtime-kubeconfig":null}}})");
    CHECK(r.handle.stats().empty());
}

TEST_CASE("kubeconfig secrets: exec plugins and file paths are refused, by a failure without credentials", "[clusters]")
{
    registry r;
    r.put("exec", kubeconfig("exec: {command: /bin/sh, apiVersion: client.authentication.k8s.io/v1, "
                             "interactiveMode: Never}"));
    r.put("file", kubeconfig("tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token"));
    r.put("nothing", "");
    r.put("text", "password: hunter2: [");
    r.put("good", kubeconfig("token: hunter2"));
    CHECK(r.complaint("exec").find("Secret fleet/exec: users[u].user.exec: a program") != std::string::npos);
    CHECK(r.complaint("file").find("users[u].user.tokenFile: the path of a file is not allowed") != std::string::npos);
    CHECK(r.complaint("nothing").find("Secret fleet/nothing: has no key kubeconfig") != std::string::npos);
    CHECK(r.complaint("text").find("not YAML") != std::string::npos);
    CHECK(r.complaint("good").empty());
    CHECK(r.w.m->stats().phase == manager_phase::running);
    CHECK(r.w.log.count("hunter2") == 0);
    CHECK(r.w.m->describe().find("hunter2") == std::string::npos);
}

TEST_CASE("kubeconfig secrets: one that is too long is not parsed", "[clusters]")
{
    registry r({.ns = "fleet"});
    r.put("long", kubeconfig("token: t") + "# " + std::string(200'000, 'x'));
    CHECK(r.complaint("long").find("is longer than 131072 bytes") != std::string::npos);
    r.put("edge", kubeconfig("token: t") + "# " + std::string(131'072, 'x'));
    CHECK(r.complaint("edge").find("131072") != std::string::npos);
}

TEST_CASE("kubeconfig secrets: the program may refuse what a kubeconfig asks for", "[clusters]")
{
    const auto accept = [](const cluster_config& c) -> result<> {
        if (c.server.find("127.0.0.1") != std::string::npos) return failure(cond::forbidden, "no loopback");
        return {};
    };
    registry r({.ns = "fleet", .accept = accept});
    r.put("here", kubeconfig("token: hunter2"));
    r.put("far", kubeconfig("token: hunter2", "server: 'https://192.0.2.1:1'"));
    CHECK(r.complaint("here").find("Secret fleet/here: is not accepted") != std::string::npos);
    CHECK(r.complaint("here").find("no loopback") != std::string::npos);
    CHECK(r.complaint("far").find("accepted") == std::string::npos);
    CHECK(r.w.log.count("hunter2") == 0);
}

TEST_CASE("kubeconfig secrets: their rights are declared", "[clusters]")
{
    registry r({.ns = "fleet"});
    const access_right wanted{.resource = "secrets", .verbs = {"list", "watch"}, .ns = "fleet"};
    const auto rights = r.w.m->rights();
    CHECK(std::find(rights.begin(), rights.end(), wanted) != rights.end());
    // The informer is the provider's own: a program that reads Secrets gets one of all it asks for.
    CHECK(r.w.m->informers().informers().size() == 1);
}
