// Definitions that are applied, and awaited.
#include "helpers_fixture.hpp"

#include "helpers/definition_core.hpp"

#include <kubecoro/api/detail/version_order.hpp>
#include <kubecoro/controller/install_crds.hpp>

#include <boost/json.hpp>

using namespace helpers_test;
using namespace kubecoro::detail;
namespace json = boost::json;

namespace {

const auto crds = untyped::custom_resource_definition::resource();

std::string version(const std::string& name, bool served, bool storage)
{
    return R"({"name":")" + name + R"(","served":)" + (served ? "true" : "false") + R"(,"storage":)" +
           (storage ? "true" : "false") + R"(,"schema":{"openAPIV3Schema":{"type":"object"}}})";
}

json::value definition(const std::string& versions, const std::string& status = "{}")
{
    return json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"shops.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"shops","kind":"Shop"},"versions":[)" +
                       versions + R"(]},"status":)" + status + "}");
}

json::value wanted(const std::string& versions)
{
    auto d = definition(versions);
    d.as_object().erase("status");
    return d;
}

std::string condition(const std::string& type, const std::string& status, const std::string& more = {})
{
    return R"({"type":")" + type + R"(","status":")" + status + '"' + more + "}";
}

object with_conditions(const std::string& conditions)
{
    return object::from_json(definition(version("v1", true, true), R"({"conditions":[)" + conditions + "]}")).value();
}

bool upgrades(const std::string& from, const std::string& to, const std::string& stored = "[]")
{
    const auto present = object::from_json(definition(from, R"({"storedVersions":)" + stored + "}")).value();
    return check_upgrade(present, wanted(to).as_object()).has_value();
}

} // namespace

TEST_CASE("crds: the order of versions is that of Kubernetes", "[controller][crds]")
{
    const lines order{"v1alpha1", "v1alpha2", "v2alpha1", "v1beta1", "v1beta2", "v2beta1", "v0", "v1", "v2", "v10"};
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < order.size(); ++j) CHECK(is_older_version(order[i], order[j]) == (i < j));
    for (const auto* other : {"", "v", "v1gamma1", "v1beta", "v1beta1x", "1", "v99999999999999999999"})
        CHECK(is_older_version(other, "v1alpha1"));
}

TEST_CASE("crds: an older program takes no version away", "[controller][crds]")
{
    const auto beta = version("v1beta1", true, true);
    CHECK(upgrades(beta, beta));
    CHECK(upgrades(beta, version("v1beta1", true, false) + "," + version("v1", true, true)));
    CHECK_FALSE(upgrades(beta, version("v1", true, true)));
    CHECK_FALSE(upgrades(beta, version("v1beta1", false, false) + "," + version("v1", true, true)));
    CHECK_FALSE(upgrades(version("v1beta1", true, false) + "," + version("v1", true, true), beta));
    CHECK_FALSE(upgrades(version("v1beta1", true, false) + "," + version("v1", true, true),
                         version("v1beta1", true, true) + "," + version("v1", true, false)));
    CHECK_FALSE(upgrades(version("v1", true, true), version("v1", true, true), R"(["v1alpha1","v1"])"));
}

TEST_CASE("crds: ready are those with accepted names that are established", "[controller][crds]")
{
    CHECK_FALSE(readiness_of(with_conditions("")));
    CHECK_FALSE(readiness_of(with_conditions(condition("Established", "True"))));
    CHECK_FALSE(readiness_of(with_conditions(condition("NamesAccepted", "True"))));
    const auto ready =
        readiness_of(with_conditions(condition("NamesAccepted", "True") + "," + condition("Established", "True")));
    REQUIRE(ready);
    CHECK(ready->has_value());
    const auto taken = readiness_of(with_conditions(
        condition("NamesAccepted", "False", R"(,"reason":"PluralConflict","message":"\"shops\" is in use")")));
    REQUIRE(taken);
    REQUIRE_FALSE(taken->has_value());
    CHECK(taken->error() == cond::invalid);
    CHECK(taken->error().message().find("PluralConflict") != std::string::npos);
    CHECK(missing_condition(with_conditions(condition("NamesAccepted", "True") + "," +
                                            condition("Established", "False", R"(,"reason":"Installing")"))) ==
          "its condition Established is not True (Installing)");
}

TEST_CASE("crds: are installed, and their kind is served at once", "[controller][crds]")
{
    world w;
    const auto done = w.run.run(install_crds(w.cluster, {wanted(version("v1", true, true))}));
    REQUIRE(done);
    REQUIRE(done->size() == 1);
    CHECK(done->at(0).name() == "shops.example.com");
    const resource_type shops{"example.com", "v1", "shops", "Shop", true};
    CHECK(w.make(shops, "default", R"({"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"a"}})"));
    CHECK(w.run.run(install_crds(w.cluster, {wanted(version("v1", true, true))})).has_value()); // again

    const auto older = w.run.run(install_crds(w.cluster, {wanted(version("v1beta1", true, true))}));
    REQUIRE_FALSE(older);
    CHECK(older.error() == cond::invalid);
    CHECK(older.error().message().find("no longer serve v1") != std::string::npos);
    const auto kept = w.get(crds, "", "shops.example.com");
    CHECK(kept.path("spec.versions")[0]["name"].as_string() == "v1");
}

TEST_CASE("crds: one that never becomes ready ends the wait with its condition", "[controller][crds]")
{
    world w;
    const auto never = json::serialize(definition(
        version("v1", true, true),
        R"({"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"False"}]})"));
    w.net->body = never;
    w.net->answers = [](const request& r) {
        const bool watches = r.target.find("watch=") != std::string::npos;
        return watches                                    ? std::optional<int>(0)
               : r.method == "GET" || r.method == "PATCH" ? std::optional<int>(200)
                                                          : std::nullopt;
    };
    install_options how;
    how.allow_downgrade = true;
    const auto begun = w.run.clock().now();
    const auto done = w.run.run(install_crds(w.cluster, {wanted(version("v1", true, true))}, how));
    REQUIRE_FALSE(done);
    CHECK(done.error() == cond::timed_out);
    CHECK(done.error().message() == "its condition Established is not True");
    CHECK(w.run.clock().now() - begun == 30s);
    CHECK(w.run.run(install_crds(w.cluster, {json::parse("{}")})).error() == cond::invalid);
}
