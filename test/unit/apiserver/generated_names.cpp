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
