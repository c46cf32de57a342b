// The arguments that select objects: TYPE, TYPE NAME..., TYPE/NAME..., TYPE,TYPE.
#pragma once

#include <kubecoro/base/result.hpp>

#include <string>
#include <vector>

namespace kubecoro::tool {

/// Objects of one type as typed by a user.
struct wanted_objects
{
    /// Plural, singular, short name, kind, with or without a group; or a category such as "all".
    std::string type = {};
    /// Empty = all.
    std::vector<std::string> names = {};
    friend bool operator==(const wanted_objects&, const wanted_objects&) = default;
};

/** Reads the arguments as kubectl does. Equal types that follow each other are one entry.

    Errors: cond::invalid for an empty list, an empty type or name, a name that cannot be part of a path, and TYPE/NAME
    mixed with other forms. */
[[nodiscard]] result<std::vector<wanted_objects>> parse_selection(const std::vector<std::string>& arguments);

} // namespace kubecoro::tool
