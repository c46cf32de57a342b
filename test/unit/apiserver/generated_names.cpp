// Tests of metadata.generateName.
#include "support.hpp"

#include "state/resource_store.hpp"

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

/// Creates objects without drawing a random number: their uids are given.
void occupy(server& s, const std::vector<std::string>& names)
{
    for (const auto& name : names) {
        const json::value body{{"metadata", {{"name", std::string_view(name)}, {"uid", std::string_view(name)}}}};
        REQUIRE(s.state.create({s.state.find("configmaps"), "v1", "default"}, body, {.keep_status = true}, s.now)
                    .has_value());
    }
}

} // namespace

TEST_CASE("generateName: a name that exists is replaced by another one, up to eight times", "[apiserver][state]")
{
    const std::string body = R"({"metadata":{"generateName":"a-"}})";
    std::vector<std::string> taken;
    for (int i = 0; i < 8; ++i) {
        server s;
        occupy(s, taken);
        const auto made = s.expect(201, "POST", maps, body);
        const std::string name(made.at_pointer("/metadata/name").as_string());
        CHECK(name.starts_with("a-"));
        CHECK(std::find(taken.begin(), taken.end(), name) == taken.end());
        taken.push_back(name);
    }
    server s;
    occupy(s, taken);
    const auto refused = s.ask("POST", maps, body);
    CHECK(refused.status == 409);
    CHECK(refused.header("retry-after") == "1");
    const auto status = json::parse(refused.body);
    CHECK(status.at("reason") == "AlreadyExists");
    CHECK(std::string(status.at("message").as_string()) ==
          "configmaps \"" + taken.back() +
              "\" already exists, the server was not able to generate a unique name for the object");
}

TEST_CASE("generateName: it is checked as the beginning of a name of its kind", "[apiserver][state]")
{
    server s;
    const auto refusals = [&](const std::string& path, const std::string& prefix, const std::string& more = {}) {
        const auto r = s.ask("POST", path, R"({"metadata":{"generateName":")" + prefix + "\"" + more + "}}");
        std::string out;
        if (r.status == 201) return out;
        REQUIRE(r.status == 422);
        const auto status = json::parse(r.body);
        for (const auto& cause : status.at_pointer("/details/causes").as_array())
            out += std::string(cause.at("field").as_string()) + ' ';
        return out;
    };
    const std::string roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
    CHECK(refusals(maps, "a-").empty());
    CHECK(refusals(maps, "a.") == "metadata.generateName ");
    CHECK(refusals(maps, "a") == "");
    CHECK(refusals(maps, "AB-") == "metadata.generateName metadata.name ");
    CHECK(refusals(maps, "A-") == "metadata.name "); // the last character before a dash is not looked at
    CHECK(refusals(maps, "-") == "metadata.generateName metadata.name ");
    // Only the beginning is part of the name, but all of it is checked.
    CHECK(refusals(maps, std::string(253, 'a')) == "");
    CHECK(refusals(maps, std::string(253, 'a') + "-") == "");
    CHECK(refusals(maps, std::string(254, 'a')) == "metadata.generateName ");
    CHECK(refusals(maps, "A", R"(,"name":"given")") == "metadata.generateName ");
    CHECK(refusals("/api/v1/namespaces", "a.b") == "metadata.generateName metadata.name ");
    CHECK(refusals(roles, "A:b.") == "");
    CHECK(refusals(roles, ".") == "");
    CHECK(refusals(roles, "a/") == "metadata.generateName metadata.name ");

    const auto message =
        s.expect(422, "POST", maps, R"({"metadata":{"generateName":"a_","name":"given"}})").at("message");
    CHECK(
        std::string(message.as_string())
            .starts_with(R"(ConfigMap "given" is invalid: metadata.generateName: Invalid value: "a_": a lowercase )"));
}
