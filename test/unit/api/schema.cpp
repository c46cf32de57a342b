// The schemas of the built-in kinds: known facts of the data, and that the tables are sound.
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>
#include <utility>

using namespace kubecoro::detail;
namespace schemas = builtin_schemas;

namespace {

/// Follows JSON names, dot-separated, from a kind; fails when there is no such field.
const schema_field& field_at(std::string_view api_version, std::string_view kind, std::string_view path)
{
    const auto* root = schemas::find(api_version, kind);
    REQUIRE(root);
    auto message = root->message;
    const schema_field* field = nullptr;
    while (!path.empty()) {
        const auto name = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), name.size() + 1));
        INFO(kind << ": " << name);
        field = schemas::find_field(message, name);
        REQUIRE(field);
        message = field->message;
    }
    REQUIRE(field);
    return *field;
}

std::string merge_key(std::string_view api_version, std::string_view kind, std::string_view path)
{
    const auto& field = field_at(api_version, kind, path);
    return field.has(field_flag::patch_merge) ? std::string(schemas::text(field.merge_key)) : "(replaced)";
}

std::pair<std::string, bool> resource_of(std::string_view api_version, std::string_view kind)
{
    const auto* found = schemas::find(api_version, kind);
    REQUIRE(found);
    CHECK(schemas::find_resource(api_version, schemas::text(found->resource)) == found);
    return {std::string(schemas::text(found->resource)), found->namespaced};
}

json_form form_at(std::string_view api_version, std::string_view kind, std::string_view path)
{
    const auto& field = field_at(api_version, kind, path);
    REQUIRE(field.type == field_type::message);
    return schemas::message(field.message).form;
}

} // namespace

TEST_CASE("kinds know their resource and scope", "[schema]")
{
    CHECK(resource_of("v1", "Pod") == std::pair{std::string("pods"), true});
    CHECK(resource_of("v1", "Node") == std::pair{std::string("nodes"), false});
    CHECK(resource_of("v1", "Endpoints") == std::pair{std::string("endpoints"), true});
    CHECK(resource_of("apps/v1", "Deployment") == std::pair{std::string("deployments"), true});
    CHECK(resource_of("networking.k8s.io/v1", "NetworkPolicy") == std::pair{std::string("networkpolicies"), true});
    CHECK(resource_of("networking.k8s.io/v1", "IngressClass") == std::pair{std::string("ingressclasses"), false});
    CHECK(resource_of("storage.k8s.io/v1", "CSIStorageCapacity") ==
          std::pair{std::string("csistoragecapacities"), true});
    CHECK(resource_of("rbac.authorization.k8s.io/v1", "ClusterRole") == std::pair{std::string("clusterroles"), false});
    CHECK(resource_of("apiextensions.k8s.io/v1", "CustomResourceDefinition") ==
          std::pair{std::string("customresourcedefinitions"), false});
    CHECK(resource_of("apiregistration.k8s.io/v1", "APIService") == std::pair{std::string("apiservices"), false});
}

TEST_CASE("kinds that are no resources have none", "[schema]")
{
    for (const auto* kind : {"PodList", "Status", "WatchEvent", "DeleteOptions"}) {
        INFO(kind);
        REQUIRE(schemas::find("v1", kind));
        CHECK(schemas::text(schemas::find("v1", kind)->resource).empty());
    }
    CHECK(schemas::find("meta.k8s.io/v1", "PartialObjectMetadata"));
    CHECK(schemas::find("meta.k8s.io/v1", "PartialObjectMetadataList"));
}

TEST_CASE("the schemas do not know other kinds", "[schema]")
{
    CHECK_FALSE(schemas::find("v1", "Deployment"));
    CHECK_FALSE(schemas::find("apps/v1", "Pod"));
    CHECK_FALSE(schemas::find("v1", "pods"));
    CHECK_FALSE(schemas::find("v1", ""));
    CHECK_FALSE(schemas::find("", "Pod"));
    CHECK_FALSE(schemas::find("example.com/v1", "Shop"));
    CHECK_FALSE(schemas::find_resource("v1", "deployments"));
    CHECK_FALSE(schemas::find_resource("v1", "Pod"));
    CHECK_FALSE(schemas::find_resource("v1", ""));
}

TEST_CASE("every resource with a list has a list kind", "[schema]")
{
    int lists = 0;
    for (const auto& kind : schemas::kinds()) {
        const auto name = std::string(schemas::text(kind.kind)) + "List";
        const auto* list = schemas::find(schemas::text(kind.api_version), name);
        if (kind.resource == 0 || !list) continue;
        INFO(schemas::text(kind.api_version) << ' ' << name);
        const auto* items = schemas::find_field(list->message, "items");
        REQUIRE(items);
        CHECK(items->has(field_flag::repeated));
        CHECK(items->number == 2);
        CHECK(items->message == kind.message);
        ++lists;
    }
    CHECK(lists > 60);
}

TEST_CASE("lists merge by the key of their own field", "[schema]")
{
    CHECK(merge_key("v1", "Pod", "spec.containers") == "name");
    CHECK(merge_key("v1", "Pod", "spec.containers.ports") == "containerPort");
    CHECK(merge_key("v1", "Service", "spec.ports") == "port");
    CHECK(merge_key("v1", "Pod", "spec.containers.volumeMounts") == "mountPath");
    CHECK(merge_key("v1", "Pod", "status.conditions") == "type");
    CHECK(merge_key("v1", "Pod", "metadata.ownerReferences") == "uid");
    CHECK(merge_key("apps/v1", "Deployment", "spec.template.spec.containers") == "name");
    CHECK(merge_key("v1", "Pod", "metadata.finalizers").empty());
    CHECK(merge_key("v1", "Pod", "spec.tolerations") == "(replaced)");
    CHECK(merge_key("v1", "Pod", "spec.containers.args") == "(replaced)");
    CHECK(merge_key("v1", "Endpoints", "subsets") == "(replaced)");
    CHECK(merge_key("networking.k8s.io/v1", "NetworkPolicy", "spec.egress") == "(replaced)");
}

TEST_CASE("patch strategies other than merge", "[schema]")
{
    const auto& volumes = field_at("v1", "Pod", "spec.volumes");
    CHECK(volumes.has(field_flag::patch_merge));
    CHECK(volumes.has(field_flag::patch_retain_keys));
    CHECK(schemas::text(volumes.merge_key) == "name");
    const auto& strategy = field_at("apps/v1", "Deployment", "spec.strategy");
    CHECK(strategy.has(field_flag::patch_retain_keys));
    CHECK_FALSE(strategy.has(field_flag::patch_merge));
    CHECK(field_at("policy/v1", "PodDisruptionBudget", "spec.selector").has(field_flag::patch_replace));
    CHECK_FALSE(field_at("v1", "Pod", "spec.containers").has(field_flag::patch_replace));
}

TEST_CASE("server-side apply merges lists by their keys, as sets, or as a whole", "[schema]")
{
    const auto rule = [](std::string_view api_version, std::string_view kind, std::string_view path) {
        const auto* found = schemas::find_merge_rule(field_at(api_version, kind, path));
        if (!found) return std::string("none");
        if (found->kind == merge_kind::by_key) return std::string(found->keys);
        return std::string(found->kind == merge_kind::set ? "(set)" : "(atomic)");
    };
    CHECK(rule("v1", "Pod", "spec.containers") == R"(name="")");
    CHECK(rule("v1", "Pod", "spec.containers.ports") == R"(containerPort=0,protocol="TCP")");
    CHECK(rule("v1", "Pod", "spec.ephemeralContainers.env") == R"(name="")"); // of an inlined message
    CHECK(rule("v1", "Pod", "metadata.finalizers") == "(set)");
    CHECK(rule("v1", "Pod", "metadata.ownerReferences") == R"(uid="")");
    CHECK(rule("v1", "Pod", "spec.containers.args") == "none");
    CHECK(rule("v1", "Pod", "spec.nodeSelector") == "(atomic)");
    CHECK(rule("apps/v1", "Deployment", "spec.selector") == "none");
    CHECK(schemas::is_atomic(field_at("apps/v1", "Deployment", "spec.selector").message));
    CHECK_FALSE(schemas::is_atomic(field_at("apps/v1", "Deployment", "spec.template").message));
    CHECK(rule("apiextensions.k8s.io/v1", "CustomResourceDefinition", "status.conditions") == R"(type="")");
}

TEST_CASE("fields know their numbers, types and how zero looks", "[schema]")
{
    const auto& containers = field_at("v1", "Pod", "spec.containers");
    CHECK(containers.number == 2);
    CHECK(containers.flags == (field_flag::repeated | field_flag::patch_merge | field_flag::null_if_absent));
    const auto& priority = field_at("v1", "Pod", "spec.priority");
    CHECK(priority.number == 25);
    CHECK(priority.type == field_type::int32);
    CHECK(priority.flags == (field_flag::pointer | field_flag::omit_empty));
    CHECK(field_at("v1", "Pod", "spec.activeDeadlineSeconds").type == field_type::int64);
    CHECK(field_at("v1", "Pod", "spec.hostNetwork").type == field_type::boolean);
    CHECK(field_at("v1", "Pod", "spec.nodeSelector").has(field_flag::map));
    CHECK(field_at("v1", "Pod", "spec.nodeSelector").type == field_type::string);
    CHECK(field_at("v1", "Pod", "metadata.creationTimestamp").has(field_flag::omit_zero));
    CHECK(field_at("v1", "Secret", "data").flags == (field_flag::map | field_flag::omit_empty));
    CHECK(field_at("v1", "Secret", "data").type == field_type::bytes);
    CHECK(
        field_at("apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec.versions.schema.openAPIV3Schema.maximum")
            .type == field_type::real);
}

TEST_CASE("inlined messages are found by their members", "[schema]")
{
    const auto& secret = field_at("v1", "Pod", "spec.volumes.secret");
    CHECK(secret.type == field_type::message);
    CHECK(field_at("v1", "Pod", "spec.containers.livenessProbe.httpGet.path").type == field_type::string);
    const auto* pod = schemas::find("v1", "Pod");
    CHECK_FALSE(schemas::find_field(pod->message, ""));
    CHECK_FALSE(schemas::find_field(pod->message, "kind"));
    CHECK_FALSE(schemas::find_field(pod->message, "containers"));
}

TEST_CASE("messages that are no objects in JSON say their form", "[schema]")
{
    CHECK(form_at("v1", "Pod", "spec") == json_form::object);
    CHECK(form_at("v1", "Service", "spec.ports.targetPort") == json_form::int_or_string);
    CHECK(form_at("v1", "Pod", "metadata.creationTimestamp") == json_form::time);
    CHECK(form_at("coordination.k8s.io/v1", "Lease", "spec.renewTime") == json_form::micro_time);
    CHECK(form_at("v1", "Pod", "spec.containers.resources.limits") == json_form::quantity);
    CHECK(form_at("v1", "Pod", "metadata.managedFields.fieldsV1") == json_form::raw_json);
    CHECK(form_at("apps/v1", "ControllerRevision", "data") == json_form::raw_json);
    CHECK(form_at("v1", "APIResourceList", "resources.verbs") == json_form::array);
    const std::string schema = "spec.versions.schema.openAPIV3Schema.";
    const auto crd = [&](const std::string& name) {
        return form_at("apiextensions.k8s.io/v1", "CustomResourceDefinition", schema + name);
    };
    CHECK(crd("items") == json_form::schema_or_array);
    CHECK(crd("additionalProperties") == json_form::schema_or_bool);
    CHECK(crd("dependencies") == json_form::schema_or_strings);
    CHECK(crd("default") == json_form::raw_json);
}

TEST_CASE("int-or-string, time and quantity have the fields of their wire form", "[schema]")
{
    const auto wire = [](const schema_field& f) { return schemas::fields(f.message); };
    const auto port = wire(field_at("v1", "Service", "spec.ports.targetPort"));
    REQUIRE(port.size() == 3);
    CHECK(port[0].type == field_type::int64);
    CHECK(port[1].type == field_type::int32);
    CHECK(port[2].type == field_type::string);
    CHECK(wire(field_at("v1", "Pod", "metadata.creationTimestamp")).size() == 2);
    CHECK(wire(field_at("v1", "Pod", "spec.containers.resources.limits")).size() == 1);
}

TEST_CASE("the fields of every message ascend and their references are in range", "[schema]")
{
    const auto known_text = [](std::uint16_t t) { return schemas::text(t).size() < 100; };
    std::size_t fields = 0;
    for (std::uint16_t i = 0; i < schemas::message_count(); ++i) {
        std::uint16_t last = 0;
        for (const auto& field : schemas::fields(i)) {
            INFO("message " << i << ", field " << field.number);
            REQUIRE(field.number > last);
            last = field.number;
            REQUIRE(field.message < schemas::message_count());
            REQUIRE(known_text(field.name));
            REQUIRE(known_text(field.merge_key));
            const bool inlined = field.has(field_flag::inlined);
            REQUIRE(schemas::text(field.name).empty() == inlined);
            if (inlined) REQUIRE(schemas::message(field.message).form == json_form::object);
            if (!inlined) REQUIRE(schemas::find_field(i, schemas::text(field.name)) == &field);
            ++fields;
        }
    }
    CHECK(schemas::message_count() > 1000);
    CHECK(fields > 4000);
}

TEST_CASE("every kind is found by its names", "[schema]")
{
    CHECK(schemas::kinds().size() > 300);
    CHECK(schemas::kubernetes_version().starts_with("1."));
    for (const auto& kind : schemas::kinds()) {
        const auto api_version = schemas::text(kind.api_version);
        INFO(api_version << ' ' << schemas::text(kind.kind));
        REQUIRE(kind.message < schemas::message_count());
        REQUIRE(schemas::find(api_version, schemas::text(kind.kind)) == &kind);
        if (kind.resource != 0) REQUIRE(schemas::find_resource(api_version, schemas::text(kind.resource)) == &kind);
    }
}

TEST_CASE("an inlined member never shares its name with another member", "[schema]")
{
    for (std::uint16_t i = 0; i < schemas::message_count(); ++i)
        for (const auto& outer : schemas::fields(i))
            if (outer.has(field_flag::inlined))
                for (const auto& inner : schemas::fields(outer.message))
                    if (!inner.has(field_flag::inlined))
                        REQUIRE(schemas::find_field(i, schemas::text(inner.name)) == &inner);
}
