// Calls every accessor of a value and of all values in it, for tests with untrusted tapes.
#pragma once

#include <kubecoro/api/value_view.hpp>

#include <boost/json/value.hpp>

#include <cstddef>

namespace kubecoro::test {

/// @return a number that depends on everything read, so that nothing is optimised away; 0 for an absent value.
inline std::size_t read_each(kubecoro::value_view v, std::size_t depth = 0)
{
    if (!v) return 0;
    std::size_t sum = 1 + v.as_string().size() + v.number_text().size() + (v.as_int64() != 0) + (v.as_double() != 0) +
                      v.as_bool() + (v.size() != 0);
    for (const char c : v.as_string()) sum += c == 'x';
    if (depth > 600) return sum;
    for (const auto& [key, value] : v.members()) {
        sum += 1 + key.size() + read_each(value, depth + 1);
        if (depth < 3) sum += v[key].kind() == kubecoro::value_kind::absent;
    }
    for (const kubecoro::value_view item : v.items()) sum += 1 + read_each(item, depth + 1);
    if (v.size() != 0) sum += static_cast<bool>(v[v.size() - 1]) + static_cast<bool>(v[std::size_t{0}]);
    sum += static_cast<bool>(v["a"]) + static_cast<bool>(v.path("a.b.c"));
    return sum;
}

inline std::size_t read_everything(kubecoro::value_view v)
{
    if (!v) return 0;
    return read_each(v) + v.to_text().size() + (v == v) + v.to_json().is_object();
}

} // namespace kubecoro::test
