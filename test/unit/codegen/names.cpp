#include "emit/names.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::codegen;

TEST_CASE("names of types are split at their words", "[codegen][names]")
{
    CHECK(snake_case("Pod") == "pod");
    CHECK(snake_case("ConfigMap") == "config_map");
    CHECK(snake_case("HTTPGetAction") == "http_get_action");
    CHECK(snake_case("ISCSIVolumeSource") == "iscsi_volume_source");
    CHECK(snake_case("PodIPs") == "pod_ips");
    CHECK(snake_case("IPsInUse") == "ips_in_use");
    CHECK(snake_case("PodIP") == "pod_ip");
    CHECK(snake_case("V1beta1") == "v1beta1");
    CHECK(snake_case("Counter64Set") == "counter64_set");
    CHECK(snake_case("").empty());
}

TEST_CASE("names become identifiers that C++ accepts", "[codegen][names]")
{
    CHECK(identifier("nodeName") == "nodeName");
    CHECK(identifier("namespace") == "namespace_");
    CHECK(identifier("default") == "default_");
    // A macro of compilers that are not told to keep to the standard.
    CHECK(identifier("linux") == "linux_");
    CHECK(identifier("x-kubernetes-validations") == "x_kubernetes_validations");
    CHECK(identifier("$ref") == "ref");
    CHECK(identifier("_a__b___c") == "a_b_c");
    CHECK(identifier("8ball") == "n8ball");
    CHECK(identifier("") == "n");
    CHECK(identifier("\xc3\xa9") == "n");
    CHECK(identifier("a\"); evil(\"") == "a_evil_");
}

TEST_CASE("a message's type is named after its group, version and name", "[codegen][names]")
{
    const auto name = type_name_of("io.k8s.api.core.v1.PodSpec");
    CHECK(name.space == "core_v1");
    CHECK(name.name == "pod_spec");
    CHECK(name.qualified() == "::kubecoro::core_v1::pod_spec");
    CHECK(type_name_of("io.k8s.api.core.v1.Namespace").name == "namespace_");
}

TEST_CASE("the members of a message have different names", "[codegen][names]")
{
    message m;
    for (const auto* name : {"a-b", "a_b", "a.b", "other_fields", "at", "class", "class_", "a$b"})
        m.fields.push_back({name, {}});
    CHECK(member_names(m) ==
          std::vector<std::string>{"a_b", "a_b_", "a_b_2_", "other_fields_", "at_", "class_", "class_2_", "a_b_3_"});

    message many;
    for (int i = 0; i < 50'000; ++i) many.fields.push_back({"a-b", {}});
    CHECK(std::ranges::all_of(member_names(many), [](const std::string& name) { return name.size() < 12; }));
}
