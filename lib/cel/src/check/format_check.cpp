#include "check/format_check.hpp"

#include <algorithm>
#include <initializer_list>

namespace kubecoro::cel::detail {

namespace {

/// A letter, the types that it takes, and the server's words for others.
struct format_clause
{
    char letter;
    std::initializer_list<type_kind> kinds;
    std::string_view words;
};

constexpr std::initializer_list<type_kind> whole_kinds{type_kind::integer, type_kind::unsigned_integer};
constexpr std::initializer_list<type_kind> real_kinds{type_kind::real, type_kind::string};
constexpr std::initializer_list<type_kind> binary_kinds{type_kind::integer, type_kind::unsigned_integer,
                                                        type_kind::boolean};
constexpr std::initializer_list<type_kind> hex_kinds{type_kind::integer, type_kind::unsigned_integer, type_kind::string,
                                                     type_kind::bytes};
constexpr std::initializer_list<type_kind> text_kinds{
    type_kind::list,      type_kind::map,      type_kind::integer, type_kind::unsigned_integer,
    type_kind::real,      type_kind::boolean,  type_kind::string,  type_kind::bytes,
    type_kind::timestamp, type_kind::duration, type_kind::type,    type_kind::null};
constexpr std::string_view hex_words = "only integers, byte buffers, and strings can be formatted as hex";

constexpr format_clause clauses[] = {
    {'s', text_kinds,
     "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
     "timestamps"},
    {'d', whole_kinds, "decimal clause can only be used on integers"},
    {'f', real_kinds, "fixed-point clause can only be used on doubles"},
    {'e', real_kinds, "scientific clause can only be used on doubles"},
    {'b', binary_kinds, "only integers and bools can be formatted as binary"},
    {'x', hex_kinds, hex_words},
    {'X', hex_kinds, hex_words},
    {'o', whole_kinds, "octal clause can only be used on integers"},
};

/// The name of a type without its parameters.
std::string plain_name(const type& of)
{
    type plain = of;
    plain.parameters.clear();
    return write_type(plain);
}

std::optional<compile_problem> check_clause(char letter, const format_operand& operand, std::size_t at)
{
    const auto found = std::find_if(std::begin(clauses), std::end(clauses),
                                    [letter](const auto& each) { return each.letter == letter; });
    if (found == std::end(clauses))
        return compile_problem{at, std::string("could not parse formatting clause: unrecognized formatting clause \"") +
                                       letter + '"'};
    const auto kind = operand.of->kind;
    if (kind == type_kind::dyn || std::find(found->kinds.begin(), found->kinds.end(), kind) != found->kinds.end()) {
        if (letter == 's')
            for (const auto& each : operand.inner)
                if (auto problem = check_clause(letter, each, at)) return problem;
        return std::nullopt;
    }
    return compile_problem{operand.at, "error during formatting: " + std::string(found->words) + ", was given " +
                                           plain_name(*operand.of)};
}

} // namespace

std::optional<compile_problem> check_format(std::string_view pattern, std::span<const format_operand> operands,
                                            std::size_t at)
{
    constexpr std::string_view precision_words = "could not parse formatting clause: error while parsing precision: ";
    std::size_t used = 0;
    while (!pattern.empty()) {
        const auto percent = pattern.find('%');
        if (percent == std::string_view::npos) break;
        pattern.remove_prefix(percent + 1);
        if (pattern.starts_with('%')) {
            pattern.remove_prefix(1);
            continue;
        }
        if (pattern.empty()) return compile_problem{at, "unexpected end of string"};
        if (used >= operands.size()) return compile_problem{at, "index " + std::to_string(used) + " out of range"};
        if (pattern.starts_with('.')) {
            const auto digits = pattern.find_first_not_of("0123456789", 1);
            if (digits == std::string_view::npos)
                return compile_problem{at, std::string(precision_words) + "could not find end of precision specifier"};
            if (digits == 1)
                return compile_problem{
                    at, std::string(precision_words) +
                            "error while converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax"};
            pattern.remove_prefix(digits);
        }
        if (auto problem = check_clause(pattern[0], operands[used++], at)) return problem;
        pattern.remove_prefix(1);
    }
    if (used == operands.size()) return std::nullopt;
    return compile_problem{at, "too many arguments supplied to string.format (expected " + std::to_string(used) +
                                   ", got " + std::to_string(operands.size()) + ")"};
}

} // namespace kubecoro::cel::detail
