// Each object that the real serializers made goes through its struct and comes out equal, and its view reads what it has.
#include "kind_checks.hpp"

#include <kubecoro/test/protobuf_samples.hpp>

#include <boost/json/parse.hpp>

#include <kubecoro/test/catch.hpp>

#include <set>
#include <string>

using namespace kubecoro;

TEST_CASE("every object of the built-in kinds goes through its struct without a change", "[kinds][samples]")
{
    REQUIRE(test::struct_count() > 60);
    std::set<std::string> seen;
    test::protobuf_samples samples;
    while (const auto sample = samples.next()) {
        if (!sample->name.starts_with("object ")) continue;
        const auto json = boost::json::parse(sample->json).as_object();
        const std::string version(json.at("apiVersion").as_string()), kind(json.at("kind").as_string());
        if (!test::has_struct(version, kind)) continue;
        seen.insert(version + ' ' + kind);
        INFO(sample->name << ": " << sample->json);
        for (const auto& problem : test::problems_of(json, false)) FAIL_CHECK(problem);
    }
    CHECK(seen.size() == test::struct_count());
}
