// Parses JSON with Boost.JSON, as the reference for tests of this project's decoder.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kubecoro::test {

/// Parses with Boost.JSON, up to a depth of 1000. Throws for invalid text.
inline boost::json::value oracle(std::string_view text)
{
    boost::json::parse_options options;
    options.max_depth = 1000;
    return boost::json::parse(text, {}, options);
}

/// Integers and doubles of equal value are equal, doubles to 14 digits.
inline bool same_number(const boost::json::value& a, const boost::json::value& b)
{
    if (!a.is_double() && !b.is_double()) return a == b;
    const auto x = a.to_number<double>();
    const auto y = b.to_number<double>();
    return x == y || std::abs(x - y) <= 1e-14 * std::max(std::abs(x), std::abs(y));
}

/// Equal JSON values, with numbers as same_number() compares them.
inline bool same_json(const boost::json::value& a, const boost::json::value& b)
{
    if (a.is_number() && b.is_number()) return same_number(a, b);
    if (a.kind() != b.kind()) return false;
    if (const auto* x = a.if_array()) {
        const auto& y = b.get_array();
        return std::equal(x->begin(), x->end(), y.begin(), y.end(), same_json);
    }
    if (const auto* x = a.if_object()) {
        const auto& y = b.get_object();
        return x->size() == y.size() && std::all_of(x->begin(), x->end(), [&y](const boost::json::key_value_pair& m) {
                   const auto* other = y.if_contains(m.key());
                   return other != nullptr && same_json(m.value(), *other);
               });
    }
    return a == b;
}

} // namespace kubecoro::test
