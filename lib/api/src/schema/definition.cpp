#include "schema/schema_writer.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/yaml.hpp>

#include <boost/json/stream_parser.hpp>

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

/// A copy of a member; empty if there is none.
json::object object_in(const json::object& in, std::string_view name)
{
    const auto* const found = in.if_contains(name);
    return found && found->is_object() ? found->get_object() : json::object();
}

/// The version of a source; empty if there is no source.
json::object version_in(const json::object& source)
{
    const auto spec = object_in(source, "spec");
    const auto* const versions = spec.if_contains("versions");
    return versions ? versions->at(0).as_object() : json::object();
}

json::object schema_in(const json::object& version)
{
    return object_in(object_in(version, "schema"), "openAPIV3Schema");
}

/// Writes one version of a definition.
class version_writer
{
public:
    explicit version_writer(const crd_version& of) : of_(of), path_(title_of(of.resource)) {}

    [[nodiscard]] result<json::object> write(bool stored)
    {
        json::object out = version_in(of_.source);
        auto schema = out.empty() ? schema_writer(path_).root(*of_.type) : schema_in(out);
        const auto& options = of_.options;
        if (!options.description.empty()) schema["description"] = options.description;
        out["name"] = of_.resource.version;
        out["served"] = options.served;
        out["storage"] = stored;
        if (!options.deprecation_warning.empty()) {
            out["deprecated"] = true;
            out["deprecationWarning"] = options.deprecation_warning;
        }
        if (auto found = subresources(schema, out); !found.empty()) out["subresources"] = std::move(found);
        if (!options.columns.empty()) out["additionalPrinterColumns"] = columns();
        out["schema"] = {{"openAPIV3Schema", std::move(schema)}};
        if (path_.problem()) return *path_.problem();
        return out;
    }

private:
    /// @param version  As its source has it; its own subresources are taken out.
    json::object subresources(const json::object& schema, json::object& version)
    {
        json::object out;
        if (auto* const found = version.if_contains("subresources"); found && found->is_object())
            out = std::move(found->get_object());
        version.erase("subresources");
        const bool has_status = has_field(*of_.type, "status");
        const bool is_apart = of_.source.empty() ? has_status : out.contains("status");
        if (!of_.options.status_subresource.value_or(is_apart)) {
            out.erase("status");
        } else if (!out.contains("status")) {
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

/// The names of a definition, with those that the options give.
json::object changed_names(json::object names, const crd_options& options)
{
    if (!options.singular.empty()) names["singular"] = options.singular;
    if (!options.list_kind.empty()) names["listKind"] = options.list_kind;
    if (!options.short_names.empty()) names["shortNames"] = texts(options.short_names);
    if (!options.categories.empty()) names["categories"] = texts(options.categories);
    return names;
}

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

/// @param source  The metadata of the definition that a generated struct was made from.
json::object metadata_of(const resource_type& r, const crd_options& options, const json::object& source)
{
    json::object out{{"name", r.plural + '.' + r.group}};
    for (const auto& member : source) out.emplace(member.key(), member.value());
    const auto add = [&](std::string_view name, const std::map<std::string, std::string>& values) {
        if (values.empty()) return;
        auto& to = out.contains(name) ? out[name].get_object() : out[name].emplace_object();
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

json::object parse_definition(std::span<const std::string_view> parts)
{
    // That of decode_limits. Real definitions are deeper than the parser's own 32.
    json::parse_options limits;
    limits.max_depth = 200;
    json::stream_parser parser({}, limits);
    boost::system::error_code broken;
    for (const auto part : parts)
        if (!broken) parser.write(part, broken);
    if (!broken) parser.finish(broken);
    if (broken) return {};
    auto parsed = parser.release();
    auto* const definition = parsed.if_object();
    return definition ? std::move(*definition) : json::object();
}

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

    auto spec = object_in(stored.source, "spec");
    auto names = object_in(spec, "names");
    spec["group"] = r.group;
    spec["names"] = names.empty() ? names_of(r, options) : changed_names(std::move(names), options);
    spec["scope"] = r.namespaced ? "Namespaced" : "Cluster";
    spec["versions"] = std::move(versions);
    if (!options.conversion.empty()) spec["conversion"] = options.conversion;
    return json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                        {"kind", "CustomResourceDefinition"},
                        {"metadata", metadata_of(r, options, object_in(stored.source, "metadata"))},
                        {"spec", std::move(spec)}};
}

result<std::string> crd_yaml(const crd_version& stored, const crd_options& options)
{
    auto definition = definition_of(stored, options);
    if (!definition) return definition.error();
    return to_yaml(std::move(*definition));
}

} // namespace kubecoro::detail
