// Types of expressions, as the compiler knows them.
#pragma once

#include "schema/schema_node.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

enum class type_kind : std::uint8_t
{
    dyn,
    /// The type of a failed expression, which fits everything.
    error,
    null,
    boolean,
    integer,
    unsigned_integer,
    real,
    string,
    bytes,
    timestamp,
    duration,
    list,
    map,
    /// The type of types.
    type,
    optional,
    /// A type of Kubernetes' libraries, by its name.
    opaque,
    /// An object with a schema.
    object,
    /// A variable of a signature or of an inference, by its name.
    parameter
};

struct type;
using type_ref = std::shared_ptr<const type>;

struct type
{
    type_kind kind = type_kind::dyn;
    std::vector<type_ref> parameters = {};
    std::string name = {};
    const schema_node* schema = nullptr;
    /// The number of a variable that an inference has made; 0 for everything else.
    std::size_t variable = 0;
};

[[nodiscard]] type_ref make_type_ref(type_kind kind);
[[nodiscard]] type_ref list_type(type_ref item);
[[nodiscard]] type_ref map_type(type_ref key, type_ref item);
[[nodiscard]] type_ref optional_type(type_ref item);
[[nodiscard]] type_ref type_type(type_ref of);
[[nodiscard]] type_ref parameter_type(std::string name);
/// The type of values with a schema.
[[nodiscard]] type_ref type_of_schema(const schema_node& schema);

/// A type as `list<A>`, `map<string,int>`, `net.IP`; one capital letter is a parameter.
[[nodiscard]] type_ref parse_type(std::string_view text);
/// A type in the words of the server: `list(int)`.
[[nodiscard]] std::string write_type(const type& of);
/// The same in messages, which have shorter names for some types.
[[nodiscard]] std::string write_short_type(const type& of);

} // namespace kubecoro::cel::detail
