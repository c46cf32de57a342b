#include "model/names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace kubecoro::codegen {

namespace {

/// Keywords, and words that compilers or standard headers define as macros. In order.
constexpr std::array keywords{"alignas",      "alignof",    "alloca",    "and",
                              "and_eq",       "asm",        "assert",    "auto",
                              "bitand",       "bitor",      "bool",      "break",
                              "case",         "catch",      "char",      "char16_t",
                              "char32_t",     "char8_t",    "class",     "co_await",
                              "co_return",    "co_yield",   "compl",     "concept",
                              "const",        "const_cast", "consteval", "constexpr",
                              "constinit",    "continue",   "decltype",  "default",
                              "delete",       "do",         "double",    "dynamic_cast",
                              "else",         "enum",       "errno",     "explicit",
                              "export",       "extern",     "false",     "float",
                              "for",          "friend",     "goto",      "if",
                              "inline",       "int",        "linux",     "long",
                              "mutable",      "namespace",  "new",       "noexcept",
                              "not",          "not_eq",     "nullptr",   "offsetof",
                              "operator",     "or",         "or_eq",     "private",
                              "protected",    "public",     "register",  "reinterpret_cast",
                              "requires",     "return",     "setjmp",    "short",
                              "signed",       "sizeof",     "static",    "static_assert",
                              "static_cast",  "stderr",     "stdin",     "stdout",
                              "struct",       "switch",     "template",  "this",
                              "thread_local", "throw",      "true",      "try",
                              "typedef",      "typeid",     "typename",  "union",
                              "unix",         "unsigned",   "using",     "va_arg",
                              "va_copy",      "va_end",     "va_start",  "virtual",
                              "void",         "volatile",   "wchar_t",   "while",
                              "xor",          "xor_eq"};

/// Names that generated types use themselves.
const std::set<std::string, std::less<>> taken{
    "at",         "boolean",     "bytes_view", "detail", "find_boolean", "find_int32",
    "find_int64", "find_number", "find_text",  "int32",  "int64",        "int_or_string_view",
    "kubecoro",   "list_view",   "map_view",   "number", "other_fields", "resource",
    "text",       "untyped",     "value_view", "view",   "view_base"};

/// Names that a type must not have: it would hide a namespace, or be hidden by a member or parameter of generated code.
const std::set<std::string, std::less<>> not_for_types{
    "a", "boost", "definition_text_of", "detail", "kubecoro", "other_fields", "resource", "std", "struct_type_of"};

bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
char lowered(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a word begins at this capital letter.
bool begins_word(std::string_view name, std::size_t i) noexcept
{
    if (i == 0 || !is_upper(name[i])) return false;
    if (!is_upper(name[i - 1])) return true;
    if (i + 1 == name.size() || !is_lower(name[i + 1])) return false;
    // The s of "IPs" belongs to the capitals.
    const bool plural = name[i + 1] == 's' && (i + 2 == name.size() || is_upper(name[i + 2]));
    return !plural;
}

/// Makes names different by numbers behind them.
class different_names
{
public:
    explicit different_names(std::set<std::string, std::less<>> used) : used_(std::move(used)) {}

    std::string add(const std::string& wanted)
    {
        const auto stem = wanted.ends_with('_') ? wanted : wanted + '_';
        auto name = wanted;
        while (!used_.insert(name).second) {
            const auto number = ++numbers_[wanted];
            const bool bare = number == 1 && stem != wanted;
            name = bare ? stem : stem + std::to_string(std::max<std::size_t>(number, 2)) + '_';
        }
        return name;
    }

private:
    std::set<std::string, std::less<>> used_;
    /// The last number behind a name that several would have, so that many of them cost no more than others.
    std::map<std::string, std::size_t> numbers_;
};

/// The type of the values in lists and maps of any depth.
const value_shape& innermost(const value_shape& type)
{
    const value_shape* at = &type;
    while (!at->of.empty()) at = &at->of.front();
    return *at;
}

/// The values that a constant can hold: a literal ends at a zero, and other control characters have no use in names.
std::vector<std::string> nameable(const std::vector<std::string>& values)
{
    std::vector<std::string> out;
    std::ranges::copy_if(values, std::back_inserter(out), [](std::string_view value) {
        return std::ranges::none_of(value, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
    });
    return out;
}

std::string without_underscore(std::string name)
{
    if (name.ends_with('_')) name.pop_back();
    return name;
}

std::string_view word_for(char c) noexcept
{
    switch (c) {
    case '=':
        return "equals";
    case '!':
        return "not";
    case '~':
        return "tilde";
    case '<':
        return "less";
    case '>':
        return "greater";
    case '*':
        return "star";
    case '+':
        return "plus";
    case '-':
        return "minus";
    case '.':
        return "dot";
    case '/':
        return "slash";
    default:
        return "symbol";
    }
}

std::string_view shortened(std::string_view value) noexcept { return value.substr(0, 100); }

/// Letters or digits, of which identifiers are made.
bool has_letters(std::string_view text) noexcept
{
    return std::ranges::any_of(shortened(text), [](char c) { return is_upper(c) || is_lower(c) || is_digit(c); });
}

/// An identifier with the capitals of a name. Without any small letter it could be a macro, such as NULL.
std::string identifier_with_capitals(std::string_view text)
{
    auto name = identifier(text);
    const bool may_be_macro = std::ranges::none_of(name, is_lower) && !name.ends_with('_');
    return may_be_macro ? name + '_' : name;
}

/// "ReadOnly" -> "read_only", "!=" -> "not_equals". Small letters, because macros have capitals.
std::string constant_name(std::string_view value)
{
    const auto text = shortened(value);
    if (text.empty()) return "empty";
    if (has_letters(text)) return identifier(snake_case(text));
    std::string words;
    for (const char c : text) words.append(words.empty() ? "" : "_").append(word_for(c));
    return identifier(words);
}

/// "2" -> "n2", "-1.5" -> "minus_1_5".
std::string number_name(std::string_view value)
{
    return value.starts_with('-') ? identifier("minus_" + std::string(value.substr(1))) : identifier(value);
}

/// Whether the name is one of a namespace of types, such as meta_v1: within others, a type of that name would hide it.
bool is_like_space(std::string_view name) noexcept
{
    const auto without_digits = [&] {
        const auto before = name.size();
        while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
        return name.size() != before;
    };
    if (!without_digits()) return false;
    for (const std::string_view stage : {"alpha", "beta"})
        if (name.ends_with(stage)) {
            name.remove_suffix(stage.size());
            if (!without_digits()) return false;
        }
    return name.ends_with("_v");
}

std::string_view last_part(std::string_view& dotted)
{
    const auto dot = dotted.rfind('.');
    const auto part = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
    dotted = dot == std::string_view::npos ? std::string_view{} : dotted.substr(0, dot);
    return part;
}

} // namespace

std::string snake_case(std::string_view name)
{
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (begins_word(name, i) && !out.ends_with('_')) out += '_';
        out += lowered(name[i]);
    }
    return out;
}

std::string identifier(std::string_view name)
{
    std::string out;
    // Names that begin with an underscore or hold two are reserved.
    for (const char c : name)
        if (is_upper(c) || is_lower(c) || is_digit(c))
            out += c;
        else if (!out.empty() && out.back() != '_')
            out += '_';
    if (out.empty() || is_digit(out.front())) out.insert(0, "n");
    if (std::ranges::binary_search(keywords, std::string_view(out))) out += '_';
    return out;
}

type_name type_name_of(std::string_view message)
{
    const auto name = last_part(message);
    const auto version = last_part(message);
    const auto group = last_part(message);
    const std::string space = std::string(group) + '_' + std::string(version);
    auto type = identifier(snake_case(name));
    if (not_for_types.contains(type) || is_like_space(type)) type += '_';
    return {identifier(snake_case(space)), std::move(type)};
}

std::vector<std::string> member_names(const message& m)
{
    different_names names(taken);
    // A member of the type's own name would hide the type.
    names.add(type_name_of(m.name).name);
    std::vector<std::string> out;
    for (const field& f : m.fields) out.push_back(names.add(identifier_with_capitals(f.name)));
    return out;
}

std::vector<constants> constants_of(const message& m, const std::vector<std::string>& members)
{
    different_names types(taken);
    // A class has no member of its own name: neither the message's struct nor a struct of constants.
    types.add(type_name_of(m.name).name);
    for (const auto& member : members) types.add(member);
    std::vector<constants> out;
    for (std::size_t i = 0; i < m.fields.size(); ++i) {
        constants& of = out.emplace_back();
        const value_shape& type = innermost(m.fields[i].type);
        const auto values = nameable(type.values);
        if (values.empty()) continue;
        of.type = type.scalar;
        of.name = types.add(without_underscore(members[i]) + "_values");
        different_names names({of.name});
        if (of.type != scalar::string) {
            for (const auto& value : values) of.values.emplace_back(names.add(number_name(value)), value);
            continue;
        }
        std::map<std::string, std::size_t> uses;
        for (const auto& value : values) ++uses[constant_name(value)];
        // Values that differ in capitals alone keep them: numbers would depend on the order of the schema.
        for (const auto& value : values) {
            const auto name = constant_name(value);
            const bool alone = uses.at(name) == 1 || !has_letters(value);
            of.values.emplace_back(names.add(alone ? name : identifier_with_capitals(shortened(value))), value);
        }
    }
    return out;
}

} // namespace kubecoro::codegen
