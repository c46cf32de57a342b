#include <kubecoro/codegen/detail/built_in.hpp>

#include "model/layout.hpp"
#include "model/names.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/schema.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kubecoro::codegen {

namespace schemas = kubecoro::detail::builtin_schemas;
namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 20> groups{"admissionregistration.k8s.io/v1",
                                                  "apiextensions.k8s.io/v1",
                                                  "apiregistration.k8s.io/v1",
                                                  "apps/v1",
                                                  "authentication.k8s.io/v1",
                                                  "authorization.k8s.io/v1",
                                                  "autoscaling/v2",
                                                  "batch/v1",
                                                  "certificates.k8s.io/v1",
                                                  "coordination.k8s.io/v1",
                                                  "discovery.k8s.io/v1",
                                                  "events.k8s.io/v1",
                                                  "networking.k8s.io/v1",
                                                  "node.k8s.io/v1",
                                                  "policy/v1",
                                                  "rbac.authorization.k8s.io/v1",
                                                  "resource.k8s.io/v1",
                                                  "scheduling.k8s.io/v1",
                                                  "storage.k8s.io/v1",
                                                  "v1"};

/// Adds the messages that a message holds. Those that are no object in JSON hold none.
// NOLINTNEXTLINE(misc-no-recursion): as deep as inlined messages
void add_parts(std::uint16_t index, message& to)
{
    for (const auto& f : schemas::fields(index)) {
        if (f.type != kubecoro::detail::field_type::message) continue;
        if (f.has(kubecoro::detail::field_flag::inlined))
            add_parts(f.message, to);
        else if (schemas::message(f.message).form == kubecoro::detail::json_form::object)
            to.fields.push_back(
                {{}, {value_shape::form::message, {}, std::string(schemas::message_name(f.message)), {}}});
    }
}

/// The built-in kinds and their messages, with those fields alone that decide where types are.
model built_in_model()
{
    model out;
    for (std::uint16_t i = 0; i < schemas::message_count(); ++i) {
        if (schemas::message(i).form != kubecoro::detail::json_form::object) continue;
        message m{std::string(schemas::message_name(i))};
        add_parts(i, m);
        out.messages.emplace(m.name, std::move(m));
    }
    for (const auto& row : schemas::kinds()) {
        if (row.resource == 0 || !std::ranges::binary_search(groups, schemas::text(row.api_version))) continue;
        kind k;
        k.name = schemas::text(row.kind);
        k.message = schemas::message_name(row.message);
        out.kinds.push_back(std::move(k));
    }
    return out;
}

/// The types, by message and by C++ name.
struct built_in_types
{
    std::map<std::string, std::string> roots;
    std::map<std::string, std::string> messages;
};

const built_in_types& types()
{
    static const built_in_types all = [] {
        built_in_types out;
        const auto m = built_in_model();
        for (const auto& h : distribute(m, m.kinds))
            for (const auto& name : h.messages) {
                out.roots.emplace(name, h.root);
                out.messages.emplace(type_name_of(name).qualified(), name);
            }
        return out;
    }();
    return all;
}

} // namespace

std::span<const std::string_view> built_in_groups() noexcept { return groups; }

bool is_built_in(const std::string& message) { return types().roots.contains(message); }

std::string built_in_header(const std::string& message)
{
    const auto found = types().roots.find(message);
    return found == types().roots.end() ? message : found->second;
}

std::string built_in_twin(const std::string& message)
{
    const auto found = types().messages.find(type_name_of(message).qualified());
    return found == types().messages.end() ? std::string() : found->second;
}

namespace {

/// Columns of the row of a field; the first is its number.
enum column : std::size_t
{
    name_column = 1,
    type_column = 2,
    options_column = 3
};

const std::map<std::string_view, scalar> scalars{{"string", scalar::string}, {"bytes", scalar::bytes},
                                                 {"int32", scalar::int32},   {"int64", scalar::int64},
                                                 {"bool", scalar::boolean},  {"double", scalar::number}};

/// Messages that are no object in JSON. `array` is read from its field.
const std::map<std::string_view, scalar> forms{
    {"quantity", scalar::quantity},    {"intOrString", scalar::int_or_string}, {"time", scalar::time},
    {"microTime", scalar::micro_time}, {"duration", scalar::duration},         {"rawJSON", scalar::json},
    {"schemaOrArray", scalar::json},   {"schemaOrBool", scalar::json},         {"schemaOrStrings", scalar::json}};

bool take_prefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// Turns rows into messages.
class table_reader
{
public:
    explicit table_reader(const json::value& rows) : rows_(rows)
    {
        for (const auto& row : rows.at("messages").as_array())
            by_name_.emplace(detail::text_in(row.as_object(), "name"), &row.as_object());
    }

    model read()
    {
        model out;
        out.source = "Kubernetes " + std::string(rows_.at("kubernetes").as_string());
        for (const auto& [name, row] : by_name_)
            if (detail::text_in(*row, "form").empty()) out.messages.emplace(name, message_of(*row));
        for (const auto& row : rows_.at("kinds").as_array()) add_kind(out, row.as_object());
        return out;
    }

private:
    static void add_kind(model& out, const json::object& row)
    {
        if (detail::text_in(row, "resource").empty()) return;
        const auto version = detail::text_in(row, "apiVersion");
        const auto slash = version.find('/');
        const bool core = slash == std::string_view::npos;
        kind k;
        k.group = core ? std::string() : std::string(version.substr(0, slash));
        k.version = core ? version : version.substr(slash + 1);
        k.name = detail::text_in(row, "kind");
        k.plural = detail::text_in(row, "resource");
        k.namespaced = detail::text_in(row, "scope") == "Namespaced";
        k.message = detail::text_in(row, "message");
        out.kinds.push_back(std::move(k));
    }

    message message_of(const json::object& row) const
    {
        message out;
        out.name = detail::text_in(row, "name");
        add_fields(row, out.fields);
        return out;
    }

    // Recursive: the members of an inlined message belong to the surrounding object.
    // NOLINTNEXTLINE(misc-no-recursion)
    void add_fields(const json::object& row, std::vector<field>& to) const
    {
        for (const auto& columns : row.at("fields").as_array()) {
            const auto& c = columns.as_array();
            std::string_view type = c.at(type_column).as_string();
            const bool inlined = c.size() > options_column && c[options_column].as_string() == "inline";
            if (inlined) {
                add_fields(*by_name_.at(type), to);
                continue;
            }
            field f;
            f.name = c.at(name_column).as_string();
            f.optional = take_prefix(type, "*");
            f.type = shape_of(type);
            to.push_back(std::move(f));
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion)
    value_shape shape_of(std::string_view type) const
    {
        using form = value_shape::form;
        if (take_prefix(type, "[]")) return {form::list, {}, {}, {shape_of(type)}};
        if (take_prefix(type, "map[string]")) return {form::map, {}, {}, {shape_of(type)}};
        // An item that may be null is read as any other.
        take_prefix(type, "*");
        if (const auto it = scalars.find(type); it != scalars.end()) return {form::scalar, it->second, {}, {}};
        const json::object& row = *by_name_.at(type);
        const auto name = detail::text_in(row, "form");
        if (name.empty()) return {form::message, {}, std::string(type), {}};
        if (name == "array") return shape_of(row.at("fields").at(0).at(type_column).as_string());
        return {form::scalar, forms.at(name), {}, {}};
    }

    const json::value& rows_;
    std::map<std::string_view, const json::object*> by_name_;
};

} // namespace

result<model> read_kubernetes(const json::value& rows)
{
    try {
        return table_reader(rows).read();
    } catch (const std::exception& e) {
        return failure(cond::invalid, std::string("the schemas of the built-in kinds: ") + e.what());
    }
}

} // namespace kubecoro::codegen
