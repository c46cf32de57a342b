#include "types/type.hpp"

#include <algorithm>
#include <iterator>

namespace kubecoro::cel::detail {

namespace {

struct named_kind
{
    std::string_view name;
    type_kind kind;
};

constexpr named_kind named_kinds[] = {
    {"dyn", type_kind::dyn},
    {"null", type_kind::null},
    {"bool", type_kind::boolean},
    {"int", type_kind::integer},
    {"uint", type_kind::unsigned_integer},
    {"double", type_kind::real},
    {"string", type_kind::string},
    {"bytes", type_kind::bytes},
    {"google.protobuf.Timestamp", type_kind::timestamp},
    {"google.protobuf.Duration", type_kind::duration},
    {"list", type_kind::list},
    {"map", type_kind::map},
    {"type", type_kind::type},
    {"optional_type", type_kind::optional},
    {"!error!", type_kind::error},
};

type_ref make(type_kind kind, std::vector<type_ref> parameters)
{
    return std::make_shared<const type>(type{kind, std::move(parameters), {}, nullptr, 0});
}

/// The parts between commas that no angle bracket encloses.
std::vector<std::string_view> split_arguments(std::string_view text)
{
    std::vector<std::string_view> out;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
        if (text[i] != ',' || depth > 0) continue;
        out.push_back(text.substr(begin, i - begin));
        begin = i + 1;
    }
    if (begin < text.size()) out.push_back(text.substr(begin));
    return out;
}

} // namespace

type_ref make_type_ref(type_kind kind) { return make(kind, {}); }
type_ref list_type(type_ref item) { return make(type_kind::list, {std::move(item)}); }
type_ref map_type(type_ref key, type_ref item) { return make(type_kind::map, {std::move(key), std::move(item)}); }
type_ref optional_type(type_ref item) { return make(type_kind::optional, {std::move(item)}); }
type_ref type_type(type_ref of) { return make(type_kind::type, {std::move(of)}); }

type_ref parameter_type(std::string name)
{
    return std::make_shared<const type>(type{type_kind::parameter, {}, std::move(name), nullptr, 0});
}

type_ref type_of_schema(const schema_node& schema)
{
    switch (schema.kind) {
    case schema_kind::object:
        return std::make_shared<const type>(type{type_kind::object, {}, "object", &schema, 0});
    case schema_kind::map:
        return map_type(make_type_ref(type_kind::string), type_of_schema(*schema.items));
    case schema_kind::list:
        return list_type(type_of_schema(*schema.items));
    case schema_kind::string:
        return make_type_ref(type_kind::string);
    case schema_kind::bytes:
        return make_type_ref(type_kind::bytes);
    case schema_kind::date:
    case schema_kind::date_time:
        return make_type_ref(type_kind::timestamp);
    case schema_kind::duration:
        return make_type_ref(type_kind::duration);
    case schema_kind::boolean:
        return make_type_ref(type_kind::boolean);
    case schema_kind::number:
        return make_type_ref(type_kind::real);
    case schema_kind::integer:
        return make_type_ref(type_kind::integer);
    default:
        return make_type_ref(type_kind::dyn);
    }
}

type_ref parse_type(std::string_view text)
{
    const auto open = text.find('<');
    const auto name = text.substr(0, open);
    if (name.size() == 1) return parameter_type(std::string(name));
    std::vector<type_ref> parameters;
    if (open != std::string_view::npos)
        for (const auto part : split_arguments(text.substr(open + 1, text.size() - open - 2)))
            parameters.push_back(parse_type(part));
    if (name == "optional") return make(type_kind::optional, std::move(parameters));
    if (name == "timestamp") return make_type_ref(type_kind::timestamp);
    if (name == "duration") return make_type_ref(type_kind::duration);
    for (const auto& known : named_kinds)
        if (known.name == name) return make(known.kind, std::move(parameters));
    return std::make_shared<const type>(type{type_kind::opaque, {}, std::string(name), nullptr, 0});
}

namespace {

std::string written_type(const type& of, bool is_short)
{
    if (of.kind == type_kind::opaque || of.kind == type_kind::object || of.kind == type_kind::parameter) return of.name;
    const auto found = std::find_if(std::begin(named_kinds), std::end(named_kinds),
                                    [&of](const auto& each) { return each.kind == of.kind; });
    std::string out(found->name);
    if (is_short && of.kind == type_kind::timestamp) out = "timestamp";
    if (is_short && of.kind == type_kind::duration) out = "duration";
    if (!is_short && of.kind == type_kind::null) out = "null_type";
    if (of.parameters.empty()) return out;
    out += '(';
    for (std::size_t i = 0; i < of.parameters.size(); ++i)
        out += (i > 0 ? ", " : "") + written_type(*of.parameters[i], is_short);
    return out + ')';
}

} // namespace

std::string write_type(const type& of) { return written_type(of, false); }
std::string write_short_type(const type& of) { return written_type(of, true); }

} // namespace kubecoro::cel::detail
