#include <kubecoro/codegen/detail/crd.hpp>

#include "model/schema_reader.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <stdexcept>
#include <string_view>
#include <vector>

namespace kubecoro::codegen {

namespace json = boost::json;

namespace {

/// A version of a definition that is served.
struct served
{
    const json::object* schema;
    std::string message;
    std::string path;
};

/// "shop.example.com" -> "com.example.shop".
std::string reversed(std::string_view group)
{
    const auto dot = group.rfind('.');
    if (dot == std::string_view::npos) return std::string(group);
    return std::string(group.substr(dot + 1)) + '.' + reversed(group.substr(0, dot));
}

/// Reads the definitions, all names first: a kind keeps its name when a part of another one would have it.
class reader
{
public:
    explicit reader(model& to) : to_(to), schemas_(to, path_, {}) {}

    void add(const json::value& document)
    {
        const auto* crd = document.if_object();
        if (crd == nullptr || detail::text_in(*crd, "kind") != "CustomResourceDefinition")
            path_.fail("not a CustomResourceDefinition");
        if (detail::text_in(*crd, "apiVersion") != "apiextensions.k8s.io/v1")
            path_.fail("expected apiVersion apiextensions.k8s.io/v1");
        const auto* spec = detail::object_in(*crd, "spec");
        const document_path::step at(path_, "spec");
        if (spec == nullptr) path_.fail("missing");
        metadata_ = metadata_of(*crd);
        add_versions(*spec);
    }

    void read()
    {
        for (const served& version : versions_) {
            const document_path::step at(path_, version.path);
            schemas_.add(version.message, *version.schema, true);
        }
    }

private:
    std::string name_in(const json::object& in, std::string_view member, bool (*is_valid)(std::string_view))
    {
        const auto text = detail::text_in(in, member);
        const document_path::step at(path_, member);
        if (!is_valid(text)) path_.fail(text.empty() ? "missing" : "no name that the API allows");
        return std::string(text);
    }

    void add_versions(const json::object& spec)
    {
        kind k;
        k.group = name_in(spec, "group", is_group);
        const auto* names = detail::object_in(spec, "names");
        if (names == nullptr) path_.fail("names are missing");
        {
            const document_path::step at(path_, "names");
            k.name = name_in(*names, "kind", is_kind_name);
            k.plural = name_in(*names, "plural", is_lower_label);
        }
        k.namespaced = detail::text_in(spec, "scope") != "Cluster";
        const auto* versions = detail::array_in(spec, "versions");
        const document_path::step at(path_, "versions");
        if (versions == nullptr || versions->empty()) path_.fail("missing");
        json::object rest = spec;
        rest.erase("versions");
        for (std::size_t i = 0; i < versions->size(); ++i) add_version(k, rest, (*versions)[i], i);
    }

    /// The part of the metadata that its author has written.
    static json::object metadata_of(const json::object& crd)
    {
        json::object out;
        const auto* metadata = detail::object_in(crd, "metadata");
        for (const std::string_view name : {"labels", "annotations"})
            if (const auto* found = metadata ? detail::object_in(*metadata, name) : nullptr) out[name] = *found;
        if (auto* annotations = out.if_contains("annotations"))
            annotations->get_object().erase("kubectl.kubernetes.io/last-applied-configuration");
        return out;
    }

    /// @param rest  The definition's spec without its versions.
    void add_version(kind k, const json::object& rest, const json::value& value, std::size_t index)
    {
        const document_path::step at(path_, index);
        const auto* version = value.if_object();
        if (version == nullptr) path_.fail("expected an object");
        if (!detail::is_true_in(*version, "served")) return;
        k.version = name_in(*version, "name", is_lower_label);
        const auto* schema = detail::object_in(*version, "schema");
        const auto* root = schema != nullptr ? detail::object_in(*schema, "openAPIV3Schema") : nullptr;
        if (root == nullptr) path_.fail("schema.openAPIV3Schema is missing");
        k.message = reversed(k.group) + '.' + k.version + '.' + k.name;
        schemas_.reserve(k.message);
        versions_.push_back(
            {root, k.message,
             k.plural + '.' + k.group + ": spec.versions[" + std::to_string(index) + "].schema.openAPIV3Schema"});
        json::object alone = rest;
        alone["versions"] = json::array{value};
        k.definition = {{"metadata", metadata_}, {"spec", std::move(alone)}};
        to_.kinds.push_back(std::move(k));
    }

    model& to_;
    document_path path_;
    schema_reader schemas_;
    std::vector<served> versions_;
    /// That of the definition that is read.
    json::object metadata_;
};

} // namespace

bool is_crd(const json::value& document)
{
    const auto* object = document.if_object();
    return object != nullptr && detail::text_in(*object, "kind") == "CustomResourceDefinition";
}

result<model> read_crds(std::span<const json::value> documents, std::string source)
{
    model out;
    out.source = std::move(source);
    reader r(out);
    std::string which;
    try {
        for (const auto& document : documents) {
            const auto* metadata =
                document.is_object() ? detail::object_in(document.get_object(), "metadata") : nullptr;
            which = metadata != nullptr ? std::string(detail::text_in(*metadata, "name")) : std::string();
            r.add(document);
        }
        which.clear();
        r.read();
    } catch (const std::runtime_error& e) {
        return failure(cond::invalid, out.source + ": " + (which.empty() ? "" : which + ": ") + e.what());
    }
    return out;
}

} // namespace kubecoro::codegen
