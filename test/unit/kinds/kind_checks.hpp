// Checks that every object of a built-in kind passes.
#pragma once

#include <kubecoro/api/object.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
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

/// How structs became protobuf.
struct form_counts
{
    /// In one pass over the struct.
    std::size_t quick = 0;
    /// By way of their JSON alone.
    std::size_t whole = 0;
    /// Not at all: it would not say the same.
    std::size_t none = 0;
};

/// Counts the structs that problems_of() has checked.
[[nodiscard]] form_counts forms_of_structs() noexcept;

/** Reads an object into the struct of its kind, which must exist, and through its typed view, and says what is not as it
    should be.

    The struct, a copy of it and a moved copy must be equal and give equal JSON; each accessor of the view, at any
    depth, must return what the JSON has. @param spoiled  Strict reading must refuse it; else it must not. */
[[nodiscard]] std::vector<std::string> problems_of(const boost::json::object& json, bool spoiled);

} // namespace kubecoro::test
