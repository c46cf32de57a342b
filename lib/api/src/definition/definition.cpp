#include "definition/schema_path.hpp"
#include "definition/schema_writer.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/yaml.hpp>

#include <algorithm>
#include <array>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

std::string title_of(const resource_type& r) { return r.kind + " of " + r.api_version(); }

std::string in_small_letters(std::string_view text)
{
    std::string out;
    for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

json::array texts(const std::vector<std::string>& from)
{
    json::array out;
    for (const auto& text : from) out.emplace_back(text);
    return out;
}

bool has_field(const struct_type& type, std::string_view name)
{
    return std::ranges::find(type.fields, name, &struct_field::name) != type.fields.end();
}

/// The type that a path such as ".spec.replicas" leads to; empty if it leads nowhere.
std::string_view type_at(const json::object& schema, std::string_view path)
{
    const json::object* at = &schema;
    while (!path.empty()) {
        const auto end = std::min(path.find('.', 1), path.size());
        const auto* const properties = at->if_contains("properties");
        const auto* const next = properties ? properties->get_object().if_contains(path.substr(1, end - 1)) : nullptr;
        if (!next) return {};
        at = &next->get_object();
        path.remove_prefix(end);
    }
    const auto* const type = at->if_contains("type");
    return type ? std::string_view(type->get_string()) : std::string_view{};
}

/// Writes one version of a definition.
class version_writer
{
public:
    explicit version_writer(const crd_version& of) : of_(of), path_(title_of(of.resource)) {}

    [[nodiscard]] result<json::object> write(bool stored)
    {
        auto schema = schema_writer(path_).root(*of_.type);
        const auto& options = of_.options;
        if (!options.description.empty()) schema["description"] = options.description;
        json::object out{{"name", of_.resource.version}, {"served", options.served}, {"storage", stored}};
        if (!options.deprecation_warning.empty()) {
            out["deprecated"] = true;
            out["deprecationWarning"] = options.deprecation_warning;
        }
        if (auto found = subresources(schema); !found.empty()) out["subresources"] = std::move(found);
        if (!options.columns.empty()) out["additionalPrinterColumns"] = columns();
        out["schema"] = {{"openAPIV3Schema", std::move(schema)}};
        if (path_.problem()) return *path_.problem();
        return out;
    }

private:
    json::object subresources(const json::object& schema)
    {
        json::object out;
        const bool has_status = has_field(*of_.type, "status");
        if (of_.options.status_subresource.value_or(has_status)) {
            if (!has_status) path_.fail("status_subresource is set, but the struct has no member status");
            out["status"].emplace_object();
        }
        if (const auto& scale = of_.options.scale) {
            check_path(schema, scale->wanted, {".spec."}, "integer");
            check_path(schema, scale->present, {".status."}, "integer");
            json::object paths{{"specReplicasPath", scale->wanted}, {"statusReplicasPath", scale->present}};
            if (!scale->selector.empty()) {
                check_path(schema, scale->selector, {".spec.", ".status."}, "string");
                paths["labelSelectorPath"] = scale->selector;
            }
            out["scale"] = std::move(paths);
        }
        return out;
    }

    void check_path(const json::object& schema, std::string_view path, std::initializer_list<std::string_view> below,
                    std::string_view type)
    {
        const bool is_below = std::ranges::any_of(below, [&](auto begin) { return path.starts_with(begin); });
        if (!is_below || type_at(schema, path) != type)
            path_.fail("scale: \"" + std::string(path) + "\" is no path below " + std::string(*below.begin()) +
                       " to a field of type " + std::string(type));
    }

    json::array columns()
    {
        static constexpr std::array types{"string", "integer", "number", "boolean", "date"};
        json::array out;
        for (const auto& column : of_.options.columns) {
            if (column.name.empty()) path_.fail("a printer column has no name");
            if (!column.json_path.starts_with('.'))
                path_.fail("the printer column " + column.name + " needs a path that begins with a dot, not \"" +
                           column.json_path + '"');
            if (std::ranges::find(types, column.type) == types.end())
                path_.fail("the printer column " + column.name +
                           " is of type string, integer, number, boolean or "
                           "date, not \"" +
                           column.type + '"');
            json::object written{{"name", column.name}, {"type", column.type}, {"jsonPath", column.json_path}};
            if (!column.description.empty()) written["description"] = column.description;
            if (column.priority != 0) written["priority"] = column.priority;
            out.emplace_back(std::move(written));
        }
        return out;
    }

    const crd_version& of_;
    schema_path path_;
};

json::object names_of(const resource_type& r, const crd_options& options)
{
    const auto& singular = options.singular.empty() ? r.singular : options.singular;
    const auto& short_names = options.short_names.empty() ? r.short_names : options.short_names;
    json::object out{{"kind", r.kind},
                     {"listKind", options.list_kind.empty() ? r.kind + "List" : options.list_kind},
                     {"plural", r.plural},
                     {"singular", singular.empty() ? in_small_letters(r.kind) : singular}};
    if (!short_names.empty()) out["shortNames"] = texts(short_names);
    if (!options.categories.empty()) out["categories"] = texts(options.categories);
    return out;
}

json::object metadata_of(const resource_type& r, const crd_options& options)
{
    json::object out{{"name", r.plural + '.' + r.group}};
    const auto add = [&](std::string_view name, const std::map<std::string, std::string>& values) {
        if (values.empty()) return;
        auto& to = out[name].emplace_object();
        for (const auto& [key, value] : values) to[key] = value;
    };
    add("labels", options.labels);
    add("annotations", options.annotations);
    return out;
}

/// Says why a version cannot be in one definition with those before it; empty if it can.
std::string misfit_of(const resource_type& first, const std::vector<const crd_version*>& before, const crd_version& v)
{
    const auto& r = v.resource;
    if (r.group.empty() || r.version.empty() || r.plural.empty() || r.kind.empty())
        return "a custom resource needs a group, a version, a plural and a kind";
    if (r.group != first.group || r.plural != first.plural || r.kind != first.kind || r.namespaced != first.namespaced)
        return "a version has the group, plural, kind and scope of the others, which are those of " + title_of(first);
    const auto has_name = [&](const crd_version* other) { return other->resource.version == r.version; };
    return std::ranges::any_of(before, has_name) ? "there are two versions " + r.version : std::string();
}

} // namespace

result<json::object> definition_of(const crd_version& stored, const crd_options& options)
{
    const resource_type& r = stored.resource;
    std::vector<const crd_version*> all;
    json::array versions;
    const auto add = [&](const crd_version& v) -> result<> {
        if (const auto misfit = misfit_of(r, all, v); !misfit.empty())
            return failure(cond::invalid, title_of(v.resource) + ": " + misfit);
        auto written = version_writer(v).write(all.empty());
        if (!written) return written.error();
        versions.emplace_back(std::move(*written));
        all.push_back(&v);
        return {};
    };
    if (auto added = add(stored); !added) return added.error();
    for (const auto& other : options.other_versions)
        if (auto added = add(other); !added) return added.error();

    json::object spec{{"group", r.group},
                      {"names", names_of(r, options)},
                      {"scope", r.namespaced ? "Namespaced" : "Cluster"},
                      {"versions", std::move(versions)}};
    if (!options.conversion.empty()) spec["conversion"] = options.conversion;
    return json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                        {"kind", "CustomResourceDefinition"},
                        {"metadata", metadata_of(r, options)},
                        {"spec", std::move(spec)}};
}

result<std::string> crd_yaml(const crd_version& stored, const crd_options& options)
{
    auto definition = definition_of(stored, options);
    if (!definition) return definition.error();
    return to_yaml(std::move(*definition));
}

} // namespace kubecoro::detail
