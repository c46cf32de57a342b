#include "model/names.hpp"

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
    // Macros of standard headers, with parameters.
    for (const std::string name : {"assert", "offsetof", "alloca", "va_arg"}) CHECK(identifier(name) == name + '_');
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

TEST_CASE("a type that would hide a namespace, or be hidden by a member, has an underscore", "[codegen][names]")
{
    const auto name = [](const std::string& kind) { return type_name_of("com.example.shop.v1." + kind).name; };
    for (const std::string kind :
         {"Std", "Boost", "Kubecoro", "Detail", "A", "Resource", "OtherFields", "StructTypeOf"})
        CHECK(name(kind) == snake_case(kind) + '_');
    for (const std::string kind : {"MetaV1", "ShopV1", "CoreV1beta1", "AppsV2alpha10"})
        CHECK(name(kind) == snake_case(kind) + '_');
    for (const std::string kind :
         {"Standard", "Details", "V1", "MetaV", "MetaV1x", "IPv4", "Level1", "Metav1", "DriveV1gamma1"})
        CHECK(name(kind) == snake_case(kind));
}

TEST_CASE("a member has neither the name of its type nor that of a macro", "[codegen][names]")
{
    const auto members = [](const std::string& type, const std::vector<std::string>& names) {
        message m{.name = "com.example.shop.v1." + type};
        for (const auto& name : names) m.fields.push_back({name, {}});
        return member_names(m);
    };
    using texts = std::vector<std::string>;
    CHECK(members("Config", {"config", "spec"}) == texts{"config_", "spec"});
    CHECK(members("Template", {"template"}) == texts{"template_2_"});
    CHECK(members("ConfigSpec", {"config", "config_spec"}) == texts{"config", "config_spec_"});
    CHECK(members("Config", {"NULL", "EOF", "URL", "X1", "IPv4"}) == texts{"NULL_", "EOF_", "URL_", "X1_", "IPv4"});
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

namespace {

field with_values(std::string name, std::vector<std::string> values)
{
    return {std::move(name), {.scalar = scalar::string, .values = std::move(values)}};
}

std::vector<std::string> names_of(const constants& of)
{
    std::vector<std::string> out;
    for (const auto& value : of.values) out.push_back(value.first);
    return out;
}

std::vector<std::string> names_of_values(std::vector<std::string> values)
{
    const message m{.name = "com.example.shop.v1.Gadget", .fields = {with_values("x", std::move(values))}};
    return names_of(constants_of(m, member_names(m)).at(0));
}

} // namespace

TEST_CASE("constants have the names of their values in small letters", "[codegen][names]")
{
    CHECK(names_of_values({"Always", "IfNotPresent", "HTTP", "DEBUG", "read-only", "node.kubernetes.io/x", "8ball"}) ==
          std::vector<std::string>{"always", "if_not_present", "http", "debug", "read_only", "node_kubernetes_io_x",
                                   "n8ball"});
    CHECK(names_of_values({"default", "Delete", "true"}) == std::vector<std::string>{"default_", "delete_", "true_"});
    CHECK(names_of_values({"", "=", "!=", "=~", "<", "*", "?"}) ==
          std::vector<std::string>{"empty", "equals", "not_equals", "equals_tilde", "less", "star", "symbol"});
}

TEST_CASE("constants of a field have different names", "[codegen][names]")
{
    CHECK(names_of_values({"a-b", "a_b", "A_B", "x_values", "a.b"}) ==
          std::vector<std::string>{"a_b", "a_b_", "A_B_", "x_values_", "a_b_2_"});
    // Whatever their order, as a later version of the schema may have another one.
    CHECK(names_of_values({"keep", "Keep", "HashMod"}) == std::vector<std::string>{"keep", "Keep", "hash_mod"});
    CHECK(names_of_values({"Keep", "keep"}) == std::vector<std::string>{"Keep", "keep"});
    // Capitals alone could be a macro.
    CHECK(names_of_values({"null", "NULL"}) == std::vector<std::string>{"null", "NULL_"});
    CHECK(names_of_values({"?", "@"}) == std::vector<std::string>{"symbol", "symbol_"});
}

TEST_CASE("constants of numbers have their digits, and a word for the sign", "[codegen][names]")
{
    const auto named = [](scalar type, std::vector<std::string> values) {
        const message m{.name = "com.example.shop.v1.Gadget",
                        .fields = {{"x", {.scalar = type, .values = std::move(values)}}}};
        const auto of = constants_of(m, member_names(m)).at(0);
        CHECK(of.type == type);
        return names_of(of);
    };
    CHECK(named(scalar::int64, {"1", "-1", "10"}) == std::vector<std::string>{"n1", "minus_1", "n10"});
    CHECK(named(scalar::number, {"1.5", "-1.5", "15", "1e-05", "1e+05"}) ==
          std::vector<std::string>{"n1_5", "minus_1_5", "n15", "n1e_05", "n1e_05_"});
}

TEST_CASE("a value that no literal can name has no constant", "[codegen][names]")
{
    CHECK(names_of_values({std::string("a\0b", 3), "b\n", "c"}) == std::vector<std::string>{"c"});
    CHECK(names_of_values({std::string(5000, 'a')}).at(0).size() == 100);
}

TEST_CASE("the struct of a field's constants has a name that no member and no other struct around it has",
          "[codegen][names]")
{
    message m{.name = "com.example.shop.v1.TypeValues", .fields = {}};
    for (const auto* name : {"mode", "a-b", "a_b", "class", "type"}) m.fields.push_back(with_values(name, {"on"}));
    m.fields.push_back({"mode_values", {}});
    std::vector<std::string> names;
    for (const auto& of : constants_of(m, member_names(m))) names.push_back(of.name);
    CHECK(names ==
          std::vector<std::string>{"mode_values_", "a_b_values", "a_b_values_", "class_values", "type_values_", ""});
}
