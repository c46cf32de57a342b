// Checks that every object of a built-in kind passes.
#pragma once

#include <kubecoro/api/object.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::test {

/// Whether there is a struct of this kind.
[[nodiscard]] bool has_struct(std::string_view api_version, std::string_view kind);

/// How many kinds have one.
[[nodiscard]] std::size_t struct_count();

/// The definition that the struct of a kind carries; empty if it carries none.
[[nodiscard]] boost::json::object definition_in_code(std::string_view api_version, std::string_view kind);

/** Reads an object into the struct of its kind, which must exist, and through its typed view, and says what is not as it
    should be.

    The struct, a copy of it and a moved copy must be equal and give equal JSON; each accessor of the view, at any
    depth, must return what the JSON has. @param spoiled  Strict reading must refuse it; else it must not. */
[[nodiscard]] std::vector<std::string> problems_of(const boost::json::object& json, bool spoiled);

} // namespace kubecoro::test
