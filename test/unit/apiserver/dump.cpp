// Tests of what survives a restart: the saved state, and the certificate authority.
#include "support.hpp"

#include <kubecoro/apiserver/tls.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string pods = "/api/v1/namespaces/default/pods";
const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";

void fill(server& s)
{
    s.expect(201, "POST", crds,
             R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":)"
             R"({"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":)"
             R"({"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
    s.expect(201, "POST", widgets, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}})");
    s.add_config_map("default", "a");
    s.expect(201, "POST", pods,
             R"({"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})");
    s.expect(200, "DELETE", pods + "/p");
    s.expect(200, "DELETE", "/api/v1/namespaces/kube-node-lease");
}

} // namespace

TEST_CASE("dump: a restored state gives the same answers", "[apiserver][dump]")
{
    server before, after;
    fill(before);
    const auto version = before.state.resource_version();
    REQUIRE(after.state.restore(before.state.dump(), after.now));
    CHECK(after.state.resource_version() == version);
    CHECK(after.state.dump() == before.state.dump());
    for (const std::string& path : {maps, pods, crds, widgets, std::string("/api/v1/namespaces")})
        CHECK(after.get(path).body == before.get(path).body);
    CHECK(after.get("/api/v1/namespaces/kube-node-lease").status == 404);

    // Versions continue. Watches from the saved version resume, those from earlier versions get 410.
    auto watch = after.watch(maps + "?watch=1&resourceVersion=" + std::to_string(version));
    after.add_config_map("default", "b");
    CHECK(brief(lines(watch->next(after.now))) == std::vector<std::string>{"ADDED b@" + std::to_string(version + 1)});
    CHECK(lines(after.watch(maps + "?watch=1&resourceVersion=2")->next(after.now)).at(0).find(R"("code":410)") !=
          std::string::npos);
    // A terminating pod still terminates.
    CHECK(after.state.tick(after.now) == after.now + std::chrono::seconds{1});
    after.state.tick(after.now + std::chrono::seconds{1});
    CHECK(after.get(pods + "/p").status == 404);
}

TEST_CASE("dump: a later start has later versions than a state that was lost", "[apiserver][dump]")
{
    server before;
    const auto saved = before.state.dump();
    before.add_config_map("default", "lost");
    const auto seen = std::to_string(before.state.resource_version());

    server after{{.first_version = 1'000'000}};
    REQUIRE(after.state.restore(saved, after.now));
    CHECK(after.state.resource_version() > 1'000'000);
    CHECK(lines(after.watch(maps + "?watch=1&resourceVersion=" + seen)->next(after.now)).at(0).find(R"("code":410)") !=
          std::string::npos);
}

TEST_CASE("state: a state without a dump begins above its first version", "[apiserver][dump]")
{
    server s{{.first_version = 1'000'000}};
    s.add_config_map("default", "a");
    CHECK(s.state.resource_version() > 1'000'000);
    CHECK(lines(s.watch(maps + "?watch=1&resourceVersion=1000000")->next(s.now)).size() == 1);
    CHECK(lines(s.watch(maps + "?watch=1&resourceVersion=999999")->next(s.now)).at(0).find(R"("code":410)") !=
          std::string::npos);
}

TEST_CASE("dump: invalid text is refused with the line", "[apiserver][dump]")
{
    const std::string good = server().state.dump();
    const std::string head = good.substr(0, good.find('\n') + 1);
    const auto why = [](const std::string& text) {
        server s;
        const auto restored = s.state.restore(text, s.now);
        return restored ? std::string() : std::string(restored.error().message());
    };
    CHECK(why(good).empty());
    CHECK(why(head).empty());
    CHECK(why("") == "saved state, line 1: empty");
    CHECK(why("{}\n") == "saved state, line 1: not a saved state of this program");
    CHECK(why(good.substr(0, good.size() - 1)).ends_with("truncated"));
    CHECK(why(head + "{\n").starts_with("saved state, line 2: "));
    CHECK(why(head + R"({"resource":"none.example.com","object":{}})" + "\n") ==
          "saved state, line 2: not an object of a known resource");
    CHECK(why(head + R"({"resource":"pods","object":{"metadata":{"resourceVersion":"1"}}})" + "\n") ==
          "saved state, line 2: not an object of a known resource");
}

TEST_CASE("tls: a saved authority signs for the next server", "[apiserver][tls]")
{
    apiserver::tls_identity_options options;
    options.now = std::chrono::system_clock::now();
    options.authority = apiserver::tls_authority::generate(options.now, std::chrono::hours{24}).value();
    const auto first = apiserver::tls_identity::generate(options).value();
    const auto second = apiserver::tls_identity::generate(options).value();
    CHECK(first.ca_certificate == options.authority->certificate);
    CHECK(second.ca_certificate == first.ca_certificate);
    CHECK(second.server_certificate != first.server_certificate);
    options.authority->key = apiserver::tls_authority::generate(options.now, std::chrono::hours{24})->key;
    CHECK(apiserver::tls_identity::generate(options).error() == cond::invalid);
    options.authority->key = "no key";
    CHECK(apiserver::tls_identity::generate(options).error() == cond::invalid);
}
