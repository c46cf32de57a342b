#include "emit/types.hpp"

#include "model/names.hpp"

namespace kubecoro::codegen {

namespace {

using form = value_shape::form;

constexpr const char* values = "kubecoro/api/value_members.hpp";

/// How a view reads a scalar.
enum class access : std::uint8_t
{
    /// By a function of view_base; with `find_` before its name, it returns none if the value is missing.
    direct,
    /// As none if it is missing or no such text.
    parsed,
    /// By a type that wraps the untyped value.
    wrapped
};

struct scalar_text
{
    const char* member;
    const char* view;
    const char* include;
    access by;
    /// The function, for access::direct.
    const char* function = "";
};

scalar_text text_of(scalar s)
{
    switch (s) {
    case scalar::string:
        return {"std::string", "std::string_view", "string", access::direct, "text"};
    case scalar::boolean:
        return {"bool", "bool", "", access::direct, "boolean"};
    case scalar::int32:
        return {"std::int32_t", "std::int32_t", "cstdint", access::direct, "int32"};
    case scalar::int64:
        return {"std::int64_t", "std::int64_t", "cstdint", access::direct, "int64"};
    case scalar::number:
        return {"double", "double", "", access::direct, "number"};
    case scalar::quantity:
        return {"kubecoro::quantity", "kubecoro::quantity", values, access::parsed};
    case scalar::time:
        return {"kubecoro::timestamp", "kubecoro::timestamp", values, access::parsed};
    case scalar::micro_time:
        return {"kubecoro::micro_timestamp", "kubecoro::micro_timestamp", values, access::parsed};
    case scalar::duration:
        return {"kubecoro::go_duration", "kubecoro::go_duration", values, access::parsed};
    case scalar::bytes:
        return {"kubecoro::bytes", "bytes_view", "kubecoro/api/bytes.hpp", access::wrapped};
    case scalar::int_or_string:
        return {"kubecoro::int_or_string", "int_or_string_view", values, access::wrapped};
    case scalar::json:
        break;
    }
    return {"boost::json::value", "value_view", "boost/json/value.hpp", access::wrapped};
}

/// Whether the accessor tells a missing value from zero; parsed ones do by their type.
bool may_be_none(const field& f)
{
    return f.optional && f.type.kind == form::scalar && text_of(f.type.scalar).by == access::direct;
}

std::string relative(const std::string& message)
{
    const auto name = type_name_of(message);
    return name.space + "::" + name.name;
}

} // namespace

std::string type_writer::scalar_name(codegen::scalar s)
{
    const auto text = text_of(s);
    if (*text.include != '\0') includes_.insert(text.include);
    return text.member;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as lists of lists
std::string type_writer::item(const value_shape& type)
{
    switch (type.kind) {
    case form::scalar:
        return scalar_name(type.scalar);
    case form::message:
        return relative(type.message);
    case form::list:
        includes_.insert("vector");
        return "std::vector<" + item(type.of.front()) + '>';
    case form::map:
        break;
    }
    includes_.insert("map");
    includes_.insert("string");
    return "std::map<std::string, " + item(type.of.front()) + '>';
}

std::string type_writer::member(const message& of, const field& f)
{
    const auto text = item(f.type);
    if (f.type.kind == form::message) {
        if (!f.optional && !order_.in_cycle(of.name, f.type.message)) return text;
        includes_.insert("kubecoro/api/boxed.hpp");
        return "kubecoro::boxed<" + text + '>';
    }
    if (f.type.kind != form::scalar || f.type.scalar == scalar::json) return text;
    includes_.insert("optional");
    return "std::optional<" + text + '>';
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as lists of lists
std::string type_writer::view_item(const value_shape& type)
{
    switch (type.kind) {
    case form::scalar: {
        const auto text = text_of(type.scalar);
        return text.by == access::parsed ? "std::optional<" + std::string(text.view) + '>' : text.view;
    }
    case form::message:
        return "view<" + relative(type.message) + '>';
    case form::list:
        return "list_view<" + view_item(type.of.front()) + '>';
    case form::map:
        break;
    }
    return "map_view<" + view_item(type.of.front()) + '>';
}

std::string type_writer::accessor(const field& f)
{
    const auto text = view_item(f.type);
    return may_be_none(f) ? "std::optional<" + text + '>' : text;
}

std::string type_writer::reading(const field& f, const std::string& name)
{
    const auto at = "at(" + name + ')';
    if (f.type.kind != form::scalar) return view_item(f.type) + '(' + at + ')';
    const auto text = text_of(f.type.scalar);
    switch (text.by) {
    case access::direct:
        return (may_be_none(f) ? "find_" : "") + std::string(text.function) + '(' + name + ')';
    case access::parsed:
        return "detail::view_reader<" + std::string(text.view) + ">::find(" + at + ')';
    case access::wrapped:
        break;
    }
    return std::string(text.view) + '(' + at + ')';
}

} // namespace kubecoro::codegen
