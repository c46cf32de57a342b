#include "schema/member_cost.hpp"

namespace kubecoro::apiserver {
namespace {

constexpr std::size_t of_members(std::size_t count) { return count * count / 2; }

} // namespace

std::size_t key_comparisons(const boost::json::value& v)
{
    std::size_t sum = 0;
    if (const auto* items = v.if_array())
        for (const auto& item : *items) sum += key_comparisons(item);
    if (const auto* object = v.if_object()) {
        sum += of_members(object->size());
        for (const auto& member : *object) sum += key_comparisons(member.value());
    }
    return sum;
}

} // namespace kubecoro::apiserver
