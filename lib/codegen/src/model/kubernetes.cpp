#include <kubecoro/codegen/kubernetes.hpp>

#include <kubecoro/api/detail/json_access.hpp>

#include <stdexcept>
#include <string_view>

namespace kubecoro::codegen {

namespace json = boost::json;

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
