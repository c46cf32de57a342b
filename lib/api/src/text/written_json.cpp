#include <kubecoro/api/detail/written_json.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>

namespace kubecoro::detail {
namespace {

namespace json = boost::json;

// NOLINTBEGIN(misc-no-recursion): as deep as the value, like the destructor of the value itself
bool is_finite(const json::array& a)
{
    return std::ranges::all_of(a, [](const json::value& item) { return has_json_text(item); });
}

bool is_finite(const json::object& o)
{
    return std::ranges::all_of(o, [](const auto& member) { return has_json_text(member.value()); });
}

} // namespace

bool has_json_text(const json::value& v)
{
    if (const auto* number = v.if_double()) return std::isfinite(*number);
    if (const auto* array = v.if_array()) return is_finite(*array);
    const auto* object = v.if_object();
    return object == nullptr || is_finite(*object);
}
// NOLINTEND(misc-no-recursion)

std::string written_json(const json::value& v) { return has_json_text(v) ? json::serialize(v) : "NaN"; }
std::string written_json(const json::object& o) { return is_finite(o) ? json::serialize(o) : "NaN"; }
std::string written_json(const json::array& a) { return is_finite(a) ? json::serialize(a) : "NaN"; }

} // namespace kubecoro::detail
