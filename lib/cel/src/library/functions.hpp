// The functions and operators of expressions.
#pragma once

#include <kubecoro/api/detail/pattern.hpp>

#include "values/make.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kubecoro::cel::detail {

/// The regular expressions that a program names, compiled.
using known_patterns = std::map<std::string, std::shared_ptr<const kubecoro::detail::pattern>, std::less<>>;

/// The rest of an evaluation's budget.
struct resources
{
    /// Bytes that values may occupy.
    std::uint64_t bytes = 0;
    const known_patterns* patterns = nullptr;
    /// Set when a limit is reached; nothing that is computed then counts.
    bool exhausted = false;

    /// Takes some bytes. False if there are not enough of them.
    [[nodiscard]] bool take(std::uint64_t amount) noexcept
    {
        if (amount > bytes) exhausted = true;
        bytes -= amount > bytes ? bytes : amount;
        return !exhausted;
    }
};

/// The bytes of an item of a list, without its contents.
inline constexpr std::uint64_t item_bytes = sizeof(value);

using arguments = std::span<const value>;
/// Takes as many operands as one of its signatures has.
using function = value (*)(resources&, arguments);

/// How many units of cost a call has.
enum class call_cost : std::uint8_t
{
    one,
    /// A tenth of the first argument's size.
    scan,
    /// A fifth of it.
    scan_twice,
    /// A tenth of the second argument's size.
    scan_second,
    /// A tenth of the smaller argument's size, for texts.
    compare,
    /// The same, also for lists and maps.
    equality,
    /// A tenth of both texts.
    concatenate,
    /// The size of the list, or one for a map.
    membership,
    /// A tenth of the text times a quarter of the expression.
    match,
    /// A tenth of the first times a tenth of the second.
    search,
    /// All that is in the first argument.
    traverse,
    /// A fifth of the result's size.
    join,
    /// Ten, and the size of the result.
    make_list,
    /// Ten, and the size of the list times the depth.
    flatten,
    /// Ten, and twice the square of the size.
    distinct,
    sort_by,
    contains_ip,
    contains_cidr,
    /// The same with a text, which is read first.
    contains_ip_text,
    contains_cidr_text,
    validate,
    /// The product of both sizes.
    sets,
    sets_equivalent,
    /// A conversion of a text to bytes or back is a scan, others are one.
    convert_text
};

struct function_entry
{
    std::string_view name;
    function call = nullptr;
    call_cost cost = call_cost::one;
};

/// The function of a name; null if there is none. Operators have names such as `_+_`.
[[nodiscard]] const function_entry* find_function(std::string_view name) noexcept;

/// A text that counts.
[[nodiscard]] value make_text(resources& from, std::string text);
/// A list that counts.
[[nodiscard]] value make_list(resources& from, std::vector<value> items);
/// The result of all calls after a limit is reached.
[[nodiscard]] value make_exhausted();
/// A failed call of a regular expression, or the compiled one. One that the program has not compiled counts.
[[nodiscard]] std::shared_ptr<const kubecoro::detail::pattern> compiled_pattern(resources& from, std::string_view text);

/// The item of a list or map; an error if there is none.
[[nodiscard]] value item_at(const value& container, const value& key);
/// The same; an optional without a value if there is none.
[[nodiscard]] value optional_item_at(const value& container, const value& key);

struct function_table
{
    std::span<const function_entry> entries;
};

[[nodiscard]] function_table operator_functions();
[[nodiscard]] function_table conversion_functions();
[[nodiscard]] function_table string_functions();
[[nodiscard]] function_table list_functions();
[[nodiscard]] function_table set_functions();
[[nodiscard]] function_table time_functions();
[[nodiscard]] function_table pattern_functions();
[[nodiscard]] function_table url_functions();
[[nodiscard]] function_table network_functions();
[[nodiscard]] function_table amount_functions();
[[nodiscard]] function_table semver_functions();
[[nodiscard]] function_table format_functions();
[[nodiscard]] function_table optional_functions();

} // namespace kubecoro::cel::detail
