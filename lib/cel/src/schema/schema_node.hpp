// The structural schema of a custom resource, as far as expressions see it.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

enum class schema_kind : std::uint8_t
{
    /// Without a type: expressions cannot see it.
    unknown,
    object,
    map,
    list,
    string,
    bytes,
    date,
    date_time,
    duration,
    boolean,
    number,
    integer,
    int_or_string,
    /// Without a type, and kept as it is.
    preserved
};

enum class list_order : std::uint8_t
{
    atomic,
    set,
    map
};

struct schema_node
{
    schema_kind kind = schema_kind::unknown;
    list_order order = list_order::atomic;
    bool nullable = false;
    /// Whether it has `properties`, even none.
    bool has_properties = false;
    /// The members of an object that tell the items of a list of order `map` apart.
    std::vector<std::string> keys;
    std::map<std::string, std::unique_ptr<schema_node>, std::less<>> properties;
    /// The schema of the items of a list, or of the members of a map.
    std::unique_ptr<schema_node> items;
    /// The number of bytes, items or members that a request can hold; 0 for what has one size.
    std::int64_t most_elements = 0;
    /// The bytes of the smallest value in JSON.
    std::int64_t smallest_size = 0;

    /// Whether expressions can see it: it and all its items have types.
    [[nodiscard]] bool visible() const noexcept;
    /// The schema of a member, or null.
    [[nodiscard]] const schema_node* member(std::string_view name) const noexcept;
};

/// The bytes of a request.
inline constexpr std::int64_t largest_request = 3 * 1024 * 1024;

/// Compiles a schema. `is_resource`: an object with kind, apiVersion and metadata.
[[nodiscard]] std::unique_ptr<schema_node> compile_schema(const boost::json::value& schema, bool is_resource);

} // namespace kubecoro::cel::detail
