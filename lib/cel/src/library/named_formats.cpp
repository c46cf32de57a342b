#include <kubecoro/api/detail/formats.hpp>
#include <kubecoro/api/detail/go_format.hpp>
#include <kubecoro/api/detail/label_rules.hpp>

#include "library/named_formats.hpp"

#include <algorithm>
#include <iterator>

namespace kubecoro::cel::detail {

namespace {

using problems = std::vector<std::string>;

bool is_lower_alphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_dns_label(std::string_view text)
{
    return !text.empty() && is_lower_alphanumeric(text.front()) && is_lower_alphanumeric(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

void check_length(problems& out, std::string_view text, std::size_t most)
{
    if (text.size() > most) out.push_back("must be no more than " + std::to_string(most) + " bytes");
}

problems check_label(std::string_view text)
{
    problems out;
    check_length(out, text, 63);
    if (is_dns_label(text)) return out;
    out.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
        "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
    return out;
}

problems check_old_label(std::string_view text)
{
    problems out;
    check_length(out, text, 63);
    if (!is_dns_label(text) || !(text[0] >= 'a' && text[0] <= 'z'))
        out.emplace_back(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
            "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
    return out;
}

problems check_subdomain(std::string_view text)
{
    problems out;
    check_length(out, text, 253);
    bool good = !text.empty();
    for (std::string_view rest = text; good && !rest.empty();) {
        const auto label = rest.substr(0, rest.find('.'));
        good = is_dns_label(label) && !(label.size() < rest.size() && label.size() + 1 == rest.size());
        rest.remove_prefix(std::min(rest.size(), label.size() + 1));
    }
    if (!good) out.emplace_back(kubecoro::detail::subdomain_rule);
    return out;
}

/// The server replaces a dash at the end, and the character before it, by a letter.
std::string as_prefix(std::string_view text)
{
    if (text.size() < 2 || !text.ends_with('-')) return std::string(text);
    return std::string(text.substr(0, text.size() - 2)) + 'a';
}

problems check_by(std::string_view format, std::string_view text, std::string_view words)
{
    return kubecoro::detail::format_named(format)(text) ? problems{} : problems{std::string(words)};
}

problems check_uri(std::string_view text)
{
    if (kubecoro::detail::is_uri_format(text)) return {};
    return {"parse " + kubecoro::detail::go_quoted(text) + ": invalid URI for request"};
}

struct named_format
{
    std::string_view name;
    problems (*check)(std::string_view);
    std::uint64_t expression_size;
};

constexpr named_format formats[] = {
    {"dns1123Label", check_label, 30},
    {"dns1123Subdomain", check_subdomain, 60},
    {"dns1035Label", check_old_label, 30},
    {"qualifiedName", kubecoro::detail::label_key_problems, 60},
    {"dns1123LabelPrefix", [](std::string_view text) { return check_label(as_prefix(text)); }, 30},
    {"dns1123SubdomainPrefix", [](std::string_view text) { return check_subdomain(as_prefix(text)); }, 60},
    {"dns1035LabelPrefix", [](std::string_view text) { return check_old_label(as_prefix(text)); }, 30},
    {"labelValue", kubecoro::detail::label_value_problems, 40},
    {"uri", check_uri, 1103},
    {"uuid", [](std::string_view text) { return check_by("uuid", text, "does not match the UUID format"); }, 70},
    {"byte", [](std::string_view text) { return check_by("byte", text, "invalid base64"); }, 84},
    {"date", [](std::string_view text) { return check_by("date", text, "invalid date"); }, 71},
    {"datetime", [](std::string_view text) { return check_by("datetime", text, "invalid datetime"); }, 71},
};

value make_format(std::size_t index) { return make_opaque(std::make_shared<const format_data>(index)); }

std::optional<std::size_t> index_of_format(std::string_view name)
{
    const auto found =
        std::find_if(std::begin(formats), std::end(formats), [name](const auto& each) { return each.name == name; });
    if (found == std::end(formats)) return std::nullopt;
    return static_cast<std::size_t>(found - std::begin(formats));
}

template<std::size_t Index>
value constant_format(resources&, arguments)
{
    return make_format(Index);
}

value named(resources&, arguments in)
{
    if (!in[0].is(value_type::string)) return no_such_overload();
    const auto index = index_of_format(in[0].as_string());
    return index ? make_optional(make_format(*index)) : make_none();
}

value validate(resources& from, arguments in)
{
    const auto* held = opaque_of(in[0], opaque_kind::format);
    if (held == nullptr || !in[1].is(value_type::string)) return no_such_overload();
    const auto found = formats[static_cast<const format_data*>(held)->index].check(in[1].as_string());
    if (found.empty()) return make_none();
    std::vector<value> out;
    for (const auto& words : found) out.push_back(make_text(from, words));
    return make_optional(value::of_list(std::move(out)));
}

constexpr function_entry format_entries[] = {
    {"format.dns1123Label", constant_format<0>},
    {"format.dns1123Subdomain", constant_format<1>},
    {"format.dns1035Label", constant_format<2>},
    {"format.qualifiedName", constant_format<3>},
    {"format.dns1123LabelPrefix", constant_format<4>},
    {"format.dns1123SubdomainPrefix", constant_format<5>},
    {"format.dns1035LabelPrefix", constant_format<6>},
    {"format.labelValue", constant_format<7>},
    {"format.uri", constant_format<8>},
    {"format.uuid", constant_format<9>},
    {"format.byte", constant_format<10>},
    {"format.date", constant_format<11>},
    {"format.datetime", constant_format<12>},
    {"format.named", named},
    {"validate", validate, call_cost::validate},
};

} // namespace

std::uint64_t format_expression_size(const value& format)
{
    const auto* held = opaque_of(format, opaque_kind::format);
    return held != nullptr ? formats[static_cast<const format_data*>(held)->index].expression_size : 0;
}

function_table format_functions() { return {format_entries}; }

} // namespace kubecoro::cel::detail
