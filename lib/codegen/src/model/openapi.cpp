#include <kubecoro/codegen/detail/openapi.hpp>

#include "model/openapi_path.hpp"
#include "model/schema_reader.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace kubecoro::codegen {

namespace json = boost::json;

namespace {

/// Takes the first part, between slashes, from a path. Empty at its end.
std::string_view take_part(std::string_view& path)
{
    if (!path.starts_with('/')) return {};
    path.remove_prefix(1);
    const auto part = path.substr(0, path.find('/'));
    path.remove_prefix(part.size());
    return part;
}

} // namespace

std::optional<openapi_path> read_openapi_path(std::string_view path)
{
    openapi_path out;
    const auto root = take_part(path);
    if (root != "api" && root != "apis") return std::nullopt;
    if (root == "apis") out.group = take_part(path);
    out.version = take_part(path);
    constexpr std::string_view in_namespace = "/namespaces/{namespace}/";
    out.namespaced = path.starts_with(in_namespace);
    if (out.namespaced) path.remove_prefix(in_namespace.size() - 1);
    out.plural = take_part(path);
    if (path == "/{name}") path = {};
    const bool is_word = !out.plural.empty() && out.plural.front() != '{';
    if (!path.empty() || !is_word) return std::nullopt;
    return out;
}

namespace {

using form = value_shape::form;

constexpr std::string_view reference_prefix = "#/components/schemas/";
constexpr const char* group_version_kind = "x-kubernetes-group-version-kind";
constexpr std::size_t max_schema_name = 256;

/// Schemas whose own words do not say what their values are.
const std::map<std::string_view, scalar> known_values{
    {"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", scalar::json},
    {"io.k8s.apimachinery.pkg.api.resource.Quantity", scalar::quantity},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Duration", scalar::duration},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", scalar::json},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", scalar::micro_time},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Time", scalar::time},
    {"io.k8s.apimachinery.pkg.runtime.RawExtension", scalar::json},
    {"io.k8s.apimachinery.pkg.util.intstr.IntOrString", scalar::int_or_string}};

/// Group, version and name of a kind.
using kind_id = std::tuple<std::string, std::string, std::string>;

kind_id id_of(const json::object& in)
{
    return {std::string(detail::text_in(in, "group")), std::string(detail::text_in(in, "version")),
            std::string(detail::text_in(in, "kind"))};
}

/// The kind that the operations of a path are about, or nullptr.
const json::object* kind_of(const json::object& operations)
{
    for (const char* verb : {"get", "post", "put", "patch", "delete"})
        if (const auto* operation = detail::object_in(operations, verb); operation != nullptr)
            if (const auto* found = detail::object_in(*operation, group_version_kind); found != nullptr) return found;
    return nullptr;
}

/// A type's name begins with group and version.
bool is_schema_name(std::string_view name)
{
    return name.size() <= max_schema_name && std::ranges::count(name, '.') >= 2 && !name.ends_with('.') &&
           std::ranges::all_of(name, [](char c) {
               return c == '.' || c == '_' || is_label({&c, 1}, true) || c == '-';
           });
}

bool has_properties(const json::value& schema)
{
    const auto* object = schema.if_object();
    const auto* properties = object != nullptr ? detail::object_in(*object, "properties") : nullptr;
    return properties != nullptr && !properties->empty();
}

class document_reader
{
public:
    document_reader(model& to, const std::function<bool(const kind&)>& wanted)
        : to_(to), wanted_(wanted), schemas_(to, path_, [this](std::string_view ref) { return referred(ref); })
    {
    }

    /// Takes the schemas and the paths of a document.
    void add(const json::value& document)
    {
        const auto* object = document.if_object();
        if (object == nullptr || !detail::text_in(*object, "openapi").starts_with("3."))
            path_.fail("expected an OpenAPI document of version 3");
        const auto* components = detail::object_in(*object, "components");
        const auto* schemas = components != nullptr ? detail::object_in(*components, "schemas") : nullptr;
        if (schemas != nullptr) add_schemas(*schemas);
        if (const auto* paths = detail::object_in(*object, "paths"); paths != nullptr) add_paths(*paths);
    }

    void read()
    {
        for (const auto& [id, found] : kinds_) read_kind(id, found);
        std::ranges::sort(to_.kinds, {}, [&](const kind& k) { return kinds_.at({k.group, k.version, k.name}).order; });
        if (to_.kinds.empty() && !skipped_) path_.fail("no paths of objects of any kind");
        while (!waiting_.empty()) {
            const std::string name = waiting_.front();
            waiting_.pop_front();
            read_message(name, false);
        }
    }

private:
    /// A kind by its paths.
    struct place
    {
        std::string plural;
        bool namespaced = false;
        std::size_t order = 0;
    };

    void add_schemas(const json::object& schemas)
    {
        for (const auto& schema : schemas) {
            const std::string name(schema.key());
            const auto [known, is_new] = schemas_by_name_.emplace(name, &schema.value());
            if (!is_new) {
                if (*known->second != schema.value()) differing_.insert(name);
                continue;
            }
            const auto* object = schema.value().if_object();
            const auto* ids = object != nullptr ? detail::array_in(*object, group_version_kind) : nullptr;
            if (ids == nullptr) continue;
            for (const auto& id : *ids)
                if (id.is_object()) schema_of_kind_.emplace(id_of(id.get_object()), name);
        }
    }

    void add_paths(const json::object& paths)
    {
        for (const auto& item : paths) {
            const auto path = read_openapi_path(item.key());
            const auto* operations = item.value().if_object();
            const auto* found = path && operations != nullptr ? kind_of(*operations) : nullptr;
            if (found == nullptr) continue;
            // Other paths, such as that of a scale, may be about a kind of another group.
            if (detail::text_in(*found, "group") != path->group || detail::text_in(*found, "version") != path->version)
                continue;
            place& p = kinds_.try_emplace(id_of(*found), place{path->plural, false, kinds_.size()}).first->second;
            p.namespaced = p.namespaced || path->namespaced;
        }
    }

    void read_kind(const kind_id& id, const place& found)
    {
        kind k;
        std::tie(k.group, k.version, k.name) = id;
        k.plural = found.plural;
        k.namespaced = found.namespaced;
        const auto schema = schema_of_kind_.find(id);
        if (schema != schema_of_kind_.end()) k.message = schema->second;
        if (is_built_in(k.message) || (wanted_ && !wanted_(k))) {
            skipped_ = true;
            return;
        }
        if (!(k.group.empty() || is_group(k.group)) || !is_lower_label(k.version) || !is_kind_name(k.name) ||
            !is_lower_label(k.plural))
            path_.fail("a path has a kind whose names the API does not allow");
        if (k.message.empty()) path_.fail("no schema of kind " + k.name + " of " + k.group + '/' + k.version);
        check_name(k.message);
        keep_names();
        seen_.insert(k.message);
        read_message(k.message, true);
        to_.kinds.push_back(std::move(k));
    }

    /// Parts of schemas must not take the names of others. Once, before the first is read.
    void keep_names()
    {
        if (names_are_kept_) return;
        names_are_kept_ = true;
        for (const auto& [name, schema] : schemas_by_name_)
            if (is_schema_name(name) && has_properties(*schema)) schemas_.keep(name);
    }

    void check_name(const std::string& name)
    {
        if (name.size() > max_schema_name) path_.fail("a schema's name of more than 256 characters");
        if (!is_schema_name(name))
            path_.fail("expected a name such as com.example.shop.v1.Gadget, which ends in group, version and kind");
        if (differing_.contains(name)) path_.fail(name + " is not the same in all documents");
    }

    void read_message(const std::string& name, bool is_kind)
    {
        const document_path::step at(path_, name);
        const auto* schema = schemas_by_name_.at(name)->if_object();
        if (schema == nullptr) path_.fail("expected a schema, which is an object");
        schemas_.add(name, *schema, is_kind);
    }

    /// The type of a schema that another one refers to.
    // NOLINTNEXTLINE(misc-no-recursion): as deep as schemas within each other, which are limited
    value_shape referred(std::string_view ref)
    {
        if (!ref.starts_with(reference_prefix)) path_.fail("expected a reference to #/components/schemas/");
        const std::string name(ref.substr(reference_prefix.size()));
        if (const auto known = known_values.find(name); known != known_values.end())
            return {form::scalar, known->second, {}, {}};
        if (is_built_in(name)) {
            to_.messages.emplace(name, message{name});
            return {form::message, {}, name, {}};
        }
        check_name(name);
        const auto schema = schemas_by_name_.find(name);
        if (schema == schemas_by_name_.end()) path_.fail("there is no schema " + name);
        if (!has_properties(*schema->second)) return schemas_.shape_of_named(*schema->second, name);
        if (seen_.insert(name).second) waiting_.push_back(name);
        return {form::message, {}, name, {}};
    }

    model& to_;
    const std::function<bool(const kind&)>& wanted_;
    document_path path_;
    schema_reader schemas_;
    std::map<std::string, const json::value*, std::less<>> schemas_by_name_;
    std::set<std::string> differing_;
    std::map<kind_id, std::string> schema_of_kind_;
    std::map<kind_id, place> kinds_;
    /// Messages that were read or wait for it.
    std::set<std::string> seen_;
    std::deque<std::string> waiting_;
    bool skipped_ = false;
    bool names_are_kept_ = false;
};

} // namespace

bool is_openapi(const json::value& document)
{
    const auto* object = document.if_object();
    return object != nullptr && (object->contains("openapi") || object->contains("swagger"));
}

result<model> read_openapi(std::span<const json::value> documents, std::string source,
                           const std::function<bool(const kind&)>& wanted)
{
    model out;
    out.source = std::move(source);
    try {
        document_reader r(out, wanted);
        for (const auto& document : documents) r.add(document);
        r.read();
    } catch (const std::runtime_error& e) {
        return failure(cond::invalid, out.source + ": " + e.what());
    }
    return out;
}

} // namespace kubecoro::codegen
