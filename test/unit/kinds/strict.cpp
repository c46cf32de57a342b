#include <kubecoro/api/structs.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;

namespace {

std::string problem(std::string_view text)
{
    const auto pod = read_struct<core_v1::pod>(object::parse(text).value(), struct_rules::strict);
    return pod ? std::string() : pod.error().message();
}

} // namespace

TEST_CASE("strict reading names the path of the first problem", "[structs][strict]")
{
    CHECK(
        problem(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"},{"name":"b","imagge":"x"}]}})") ==
        R"(unknown field "spec.containers[1].imagge")");
    CHECK(problem(R"({"spec":{"containers":[{"name":7}]}})") == "spec.containers[0].name: expected a string, not 7");
    CHECK(problem(R"({"spec":{"nodeSelector":{"a":true}}})") == "spec.nodeSelector.a: expected a string, not true");
    CHECK(problem(R"({"spec":{"priority":4294967296}})") ==
          "spec.priority: expected a whole number of 32 bits, not 4294967296");
    CHECK(problem(R"({"spec":{"containers":{}}})") == "spec.containers: expected a list, not {}");
    CHECK(problem(R"({"spec":{"overhead":{"cpu":"1x"}}})") == R"(spec.overhead.cpu: expected a quantity, not "1x")");
    CHECK(problem(R"({"metadata":{"creationTimestamp":"today"}})") ==
          R"(metadata.creationTimestamp: expected a time, not "today")");
    CHECK(problem(R"({"spec":[]})") == "spec: expected an object, not []");
}

TEST_CASE("strict reading accepts null for any field", "[structs][strict]")
{
    CHECK(problem(R"({"metadata":{"creationTimestamp":null},"spec":{"containers":null,"nodeName":null},"status":null})")
              .empty());
}

TEST_CASE("an object of another kind is refused", "[structs]")
{
    const auto* const deployment = R"({"apiVersion":"apps/v1","kind":"Deployment"})";
    CHECK(problem(deployment) == "expected v1 Pod, not apps/v1 Deployment");
    const auto lenient = read_struct<core_v1::pod>(object::parse(deployment).value());
    CHECK(lenient.error() == cond::invalid);
}

TEST_CASE("text from outside is cut and made printable in failures", "[structs][strict]")
{
    const auto words = problem(R"({"spec":{"\u001b[2J)" + std::string(5000, 'x') + R"(":1}})");
    CHECK(words.size() < 200);
    CHECK(words.find('\x1b') == std::string::npos);
}
