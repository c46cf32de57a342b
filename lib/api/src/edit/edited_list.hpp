// Lists inside an object in JSON.
#pragma once

#include <kubecoro/api/edit.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace kubecoro::detail {

[[nodiscard]] inline bool is_text(const boost::json::value& v, std::string_view text) noexcept
{
    return v.is_string() && v.get_string() == text;
}

/// The list at the end of a path, made if there is none.
inline boost::json::array& list_at(boost::json::object& o, std::initializer_list<std::string_view> path)
{
    auto& list = field(o, path);
    return list.is_array() ? list.get_array() : list.emplace_array();
}

/// Removes the items that match from the list at the end of a path. Returns whether there were any.
template<class Matches>
bool erase_items(boost::json::object& o, std::initializer_list<std::string_view> path, const Matches& matches)
{
    if (find_field(o, path) == nullptr) return false;
    auto* list = field(o, path).if_array();
    if (!list) return false;
    const auto kept = std::remove_if(list->begin(), list->end(), matches);
    const bool had = kept != list->end();
    list->erase(kept, list->end());
    return had;
}

} // namespace kubecoro::detail
