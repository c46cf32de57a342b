#include "model/enumeration.hpp"

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>

namespace kubecoro::codegen {

namespace json = boost::json;

namespace {

using texts = std::vector<std::string>;
using by_name = std::map<std::string, enumeration>;

/// Schemas within each other without a property between them: more is no schema that people write.
constexpr int deepest_list = 8;

texts each_once(texts all)
{
    std::set<std::string> seen;
    std::erase_if(all, [&](const std::string& text) { return !seen.insert(text).second; });
    return all;
}

enumeration both(enumeration a, const enumeration& b)
{
    if (!a) return b;
    if (!b) return a;
    const std::set<std::string_view> others(b->begin(), b->end());
    std::erase_if(*a, [&](const std::string& text) { return !others.contains(text); });
    return a;
}

enumeration either(enumeration a, const enumeration& b)
{
    if (!a || !b) return std::nullopt;
    a->insert(a->end(), b->begin(), b->end());
    return a;
}

by_name both(by_name a, const by_name& b)
{
    for (const auto& [name, values] : b) a[name] = both(std::move(a[name]), values);
    return a;
}

by_name either(by_name a, const by_name& b)
{
    for (auto& [name, values] : a) {
        const auto other = b.find(name);
        values = either(std::move(values), other == b.end() ? std::nullopt : other->second);
    }
    // So that a name costs nothing in the branches behind the one that does not limit it.
    std::erase_if(a, [](const auto& rule) { return !rule.second; });
    return a;
}

/// Joins what the schemas of `allOf`, `oneOf` and `anyOf` say with what the schema itself says.
template<class Rules, class Read>
Rules with_branches(Rules own, const json::object& schema, const Read& read)
{
    for (const std::string_view list : {"allOf", "oneOf", "anyOf"}) {
        const auto* branches = detail::array_in(schema, list);
        if (branches == nullptr || branches->empty()) continue;
        std::optional<Rules> joined;
        for (const auto& branch : *branches) {
            auto rules = branch.is_object() ? read(branch.get_object()) : Rules{};
            if (!joined)
                joined = std::move(rules);
            else
                joined = list == "allOf" ? both(std::move(*joined), rules) : either(std::move(*joined), rules);
        }
        own = both(std::move(own), *joined);
    }
    return own;
}

// NOLINTNEXTLINE(misc-no-recursion)
enumeration read_values(const json::object& schema, int depth)
{
    if (depth > deepest_list) return std::nullopt;
    enumeration own;
    if (const auto* values = detail::array_in(schema, "enum")) {
        own.emplace();
        for (const auto& value : *values) own->push_back(json::serialize(value));
    }
    // NOLINTNEXTLINE(misc-no-recursion)
    return with_branches(std::move(own), schema, [&](const json::object& o) { return read_values(o, depth + 1); });
}

// NOLINTNEXTLINE(misc-no-recursion)
by_name read_properties(const json::object& schema, int depth)
{
    if (depth > deepest_list) return {};
    by_name own;
    // Those of the object itself are read with its fields.
    if (const auto* properties = depth > 0 ? detail::object_in(schema, "properties") : nullptr)
        for (const auto& property : *properties)
            if (property.value().is_object())
                if (auto values = enumeration_of(property.value().get_object()))
                    own[property.key()] = std::move(values);
    // NOLINTNEXTLINE(misc-no-recursion)
    return with_branches(std::move(own), schema, [&](const json::object& o) { return read_properties(o, depth + 1); });
}

template<class Int>
std::optional<std::string> whole(const json::value& v)
{
    // The least number has no literal.
    const auto* n = v.if_int64();
    if (n == nullptr || *n <= std::numeric_limits<Int>::min() || *n > std::numeric_limits<Int>::max())
        return std::nullopt;
    return std::to_string(*n);
}

/// The literal of C++, or the text, of a value that has the type.
std::optional<std::string> constant_of(const json::value& v, scalar type)
{
    if (type == scalar::string && v.is_string()) return std::string(v.get_string());
    if (type == scalar::int32) return whole<std::int32_t>(v);
    if (type == scalar::int64) return whole<std::int64_t>(v);
    if (type != scalar::number || !v.is_number()) return std::nullopt;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), v.to_number<double>()).ptr;
    return std::string(digits.data(), end);
}

} // namespace

enumeration enumeration_of(const json::object& schema) { return read_values(schema, 0); }

by_name enumerations_of_properties(const json::object& schema) { return read_properties(schema, 0); }

void limit_values(value_shape& shape, const enumeration& values)
{
    if (!values || shape.kind != value_shape::form::scalar) return;
    texts constants;
    for (const auto& text : *values)
        if (auto constant = constant_of(json::parse(text), shape.scalar)) constants.push_back(std::move(*constant));
    constants = each_once(std::move(constants));
    shape.values = shape.values.empty() ? constants : both(std::move(shape.values), constants).value();
}

} // namespace kubecoro::codegen
