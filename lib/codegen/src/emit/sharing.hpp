// Equal parts of schemas become one type.
#pragma once

#include <kubecoro/codegen/detail/model.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kubecoro::codegen {

/// Another name of a type.
struct other_name
{
    /// The message that has no type of its own.
    std::string message;
    /// The equal message, whose type it shares.
    std::string of;

    friend bool operator==(const other_name&, const other_name&) = default;
};

/// A model without equal parts, and the names of the parts that share a type.
struct shared_model
{
    /// The messages that get types, and the source. No kinds.
    model types;
    /// By the message, such as that of a kind, in whose schema the parts are; in the order of their names.
    std::map<std::string, std::vector<other_name>> others;
};

/// A group and version with no more parts keeps a type for each: its code is read more easily, and compiles soon enough.
inline constexpr std::size_t most_own_types = 200;

/** Joins equal parts of the schemas of these kinds, in each group and version that has more than `most_own_types` of them.

    Parts are equal if they are the schemas of properties with the same name, and agree in all that
    generated code shows: names, types, allowed values and descriptions, of their own parts too. The one with the shortest name remains. A
    schema that names itself, as kinds do, is never joined. */
[[nodiscard]] shared_model share_equal_parts(const model& m, const std::vector<kind>& kinds);

} // namespace kubecoro::codegen
