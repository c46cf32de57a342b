#include "library/functions.hpp"
#include "text/runes.hpp"

#include <limits>

namespace kubecoro::cel::detail {

namespace {

/// Those of an instruction with its parts of the automata. The time that an expression takes to compile has no other bound.
constexpr std::uint64_t instruction_bytes = 256;

bool are_two_texts(arguments in)
{
    return in.size() > 1 && in[0].is(value_type::string) && in[1].is(value_type::string);
}

value bad_pattern(const kubecoro::detail::pattern& found) { return make_error(found.problem()); }

value matches(resources& from, arguments in)
{
    if (!are_two_texts(in)) return no_such_overload();
    const auto found = compiled_pattern(from, in[1].as_string());
    return found->problem().empty() ? value(found->matches(in[0].as_string())) : bad_pattern(*found);
}

value find(resources& from, arguments in)
{
    if (!are_two_texts(in)) return no_such_overload();
    const auto pattern = compiled_pattern(from, in[1].as_string());
    if (!pattern->problem().empty()) return make_error("Illegal regex: " + pattern->problem());
    const auto found = pattern->find(in[0].as_string(), 0);
    return found ? make_part(*found, in[0].held()) : make_static("");
}

value find_all(resources& from, arguments in)
{
    if (!are_two_texts(in) || (in.size() > 2 && !in[2].is(value_type::integer))) return no_such_overload();
    const auto pattern = compiled_pattern(from, in[1].as_string());
    if (!pattern->problem().empty()) return make_error("Illegal regex: " + pattern->problem());
    const auto text = in[0].as_string();
    const auto most = in.size() > 2 && in[2].as_int() >= 0 ? static_cast<std::uint64_t>(in[2].as_int())
                                                           : std::numeric_limits<std::uint64_t>::max();
    std::vector<value> out;
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::size_t last_end = none;
    for (std::size_t at = 0; at <= text.size() && out.size() < most;) {
        const auto found = pattern->find(text, at);
        if (!found) break;
        const auto begin = static_cast<std::size_t>(found->data() - text.data());
        const auto end = begin + found->size();
        // Nothing, directly behind a match, is no match.
        if (end > begin || begin != last_end) {
            if (!from.take(item_bytes)) return make_exhausted();
            out.push_back(make_part(*found, in[0].held()));
        }
        last_end = end;
        at = end > at ? end : at + (at < text.size() ? first_rune(text.substr(at)).size : 1);
    }
    return value::of_list(std::move(out));
}

constexpr function_entry pattern_entries[] = {
    {"matches", matches, call_cost::match},
    {"find", find, call_cost::match},
    {"findAll", find_all, call_cost::match},
};

} // namespace

std::shared_ptr<const kubecoro::detail::pattern> compiled_pattern(resources& from, std::string_view text)
{
    if (from.patterns != nullptr)
        if (const auto found = from.patterns->find(text); found != from.patterns->end()) return found->second;
    auto out = std::make_shared<const kubecoro::detail::pattern>(text);
    (void)from.take(instruction_bytes * out->size());
    return out;
}

function_table pattern_functions() { return {pattern_entries}; }

} // namespace kubecoro::cel::detail
