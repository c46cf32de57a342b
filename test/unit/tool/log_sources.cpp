#include "select/log_sources.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;

namespace {

object parsed(const char* json) { return object::parse(json).value(); }

} // namespace

TEST_CASE("tool: the container whose log is meant", "[tool]")
{
    const auto pod = parsed(
        R"({"metadata":{"name":"a"},"spec":{"initContainers":[{"name":"init"}],"containers":[{"name":"main"},{"name":"side"}]}})");
    CHECK(containers_of(pod) == std::vector<std::string>{"init", "main", "side"});
    CHECK(default_container(pod) == "main");
    CHECK(
        default_container(parsed(
            R"({"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/default-container":"side"}},"spec":{"containers":[{"name":"main"},{"name":"side"}]}})")) ==
        "side");
    CHECK(
        default_container(parsed(
            R"({"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/default-container":"gone"}},"spec":{"containers":[{"name":"main"}]}})")) ==
        "main");
    CHECK(default_container(parsed(R"({"metadata":{"name":"a"}})")).empty());
}

TEST_CASE("tool: the pods of a workload", "[tool]")
{
    CHECK(
        pod_selector_of(
            parsed(
                R"({"kind":"Deployment","spec":{"selector":{"matchLabels":{"app":"web"},"matchExpressions":[{"key":"tier","operator":"In","values":["b","a"]},{"key":"old","operator":"DoesNotExist"}]}}})"))
            .value() == "app=web,!old,tier in (a,b)");
    CHECK(pod_selector_of(parsed(R"({"kind":"Service","spec":{"selector":{"app":"web"}}})")).value() == "app=web");
    // Everything would be too much.
    for (const char* none :
         {R"({"kind":"ConfigMap"})", R"({"kind":"Service","spec":{"selector":{}}})",
          R"({"kind":"Job","spec":{"selector":{"matchLabels":{}}}})",
          R"({"kind":"Job","spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Gt"}]}}})"})
        CHECK(pod_selector_of(parsed(none)).error() == cond::invalid);
}
