#include <kubecoro/api/detail/formats.hpp>
#include <kubecoro/api/detail/go_format.hpp>

#include "library/functions.hpp"

#include <algorithm>
#include <map>

namespace kubecoro::cel::detail {

namespace {

int hex_digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool is_escape(std::string_view text) noexcept
{
    return text.size() > 2 && text[0] == '%' && hex_digit(text[1]) >= 0 && hex_digit(text[2]) >= 0;
}

/// Returns an empty optional for an invalid escape.
std::optional<std::string> unescaped(std::string_view text, bool plus_is_space)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i] == '+' && plus_is_space ? ' ' : text[i];
        } else {
            if (!is_escape(text.substr(i))) return std::nullopt;
            out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
            i += 2;
        }
    }
    return out;
}

/// Whether a path may have it without an escape.
bool is_plain_in_path(char c) noexcept
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
    return std::string_view("-_.~$&+,/:;=@!'()*[]").find(c) != std::string_view::npos;
}

/// The path as it was written if its escapes are right, else escaped by Go's rules.
std::string escaped_path(std::string_view path)
{
    bool is_right = true;
    for (std::size_t i = 0; i < path.size(); ++i)
        if (path[i] == '%')
            i += 2;
        else
            is_right = is_right && is_plain_in_path(path[i]);
    if (is_right) return std::string(path);
    const auto plain = unescaped(path, false);
    std::string out;
    for (const char c : plain.value_or(std::string(path))) {
        if (is_plain_in_path(c) && c != '!' && c != '\'' && c != '(' && c != ')' && c != '*' && c != '[' && c != ']') {
            out += c;
            continue;
        }
        static constexpr std::string_view digits = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        out.append(1, '%').append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return out;
}

std::string lower_case(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::shared_ptr<const url_data> parse_url(std::string_view text)
{
    auto out = std::make_shared<url_data>();
    const auto mark = std::min(text.find('#'), text.size());
    const std::string fragment(text.substr(mark));
    text = text.substr(0, mark);
    const auto colon = text.find(':');
    if (colon != std::string_view::npos && text.substr(0, colon).find_first_of("/?") == std::string_view::npos) {
        out->scheme = lower_case(text.substr(0, colon));
        out->text = out->scheme + ':';
        text.remove_prefix(colon + 1);
    }
    const auto question = std::min(text.find('?'), text.size());
    const std::string query(text.substr(question));
    text = text.substr(0, question);
    if (!query.empty()) out->query = query.substr(1);
    if (text.starts_with("//")) {
        auto authority = text.substr(2, text.find('/', 2) - 2);
        text.remove_prefix(2 + authority.size());
        out->text.append("//").append(authority);
        if (const auto at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
        out->host = unescaped(authority, false).value_or(std::string(authority));
    }
    // Whatever follows a scheme without a slash is opaque.
    if (text.starts_with('/') || out->scheme.empty()) out->path = escaped_path(text);
    out->text.append(out->path.empty() ? text : std::string_view(out->path)).append(query).append(fragment);
    return out;
}

/// A host without its port, or the port alone.
std::string part_of_host(std::string_view host, bool wants_port)
{
    const auto bracket = host.starts_with('[') ? host.find(']') : std::string_view::npos;
    const auto colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (wants_port) return std::string(colon == std::string_view::npos ? std::string_view{} : host.substr(colon + 1));
    if (bracket != std::string_view::npos) return std::string(host.substr(1, bracket - 1));
    return std::string(host.substr(0, colon));
}

value url_error(std::string_view text)
{
    return make_error("URL parse error during conversion from string: parse " + kubecoro::detail::go_quoted(text) +
                      ": invalid URI for request");
}

value make_url(resources& from, arguments in)
{
    if (!in[0].is(value_type::string)) return no_such_overload();
    const auto text = in[0].as_string();
    if (!kubecoro::detail::is_uri_format(text)) return url_error(text);
    return from.take(4 * text.size()) ? make_opaque(parse_url(text)) : make_exhausted();
}

value is_url(resources&, arguments in)
{
    return in[0].is(value_type::string) ? value(kubecoro::detail::is_uri_format(in[0].as_string()))
                                        : no_such_overload();
}

value part_of_url(resources& from, arguments in, std::string (*part)(const url_data&))
{
    const auto* held = opaque_of(in[0], opaque_kind::url);
    return held != nullptr ? make_text(from, part(static_cast<const url_data&>(*held))) : no_such_overload();
}

value scheme(resources& from, arguments in)
{
    return part_of_url(from, in, [](const url_data& url) { return url.scheme; });
}
value host(resources& from, arguments in)
{
    return part_of_url(from, in, [](const url_data& url) { return url.host; });
}
value host_name(resources& from, arguments in)
{
    return part_of_url(from, in, [](const url_data& url) { return part_of_host(url.host, false); });
}
value port(resources& from, arguments in)
{
    return part_of_url(from, in, [](const url_data& url) { return part_of_host(url.host, true); });
}
value path(resources& from, arguments in)
{
    return part_of_url(from, in, [](const url_data& url) { return url.path; });
}

value query(resources& from, arguments in)
{
    const auto* held = opaque_of(in[0], opaque_kind::url);
    if (held == nullptr) return no_such_overload();
    std::map<std::string, std::vector<value>> found;
    std::string_view rest = static_cast<const url_data&>(*held).query;
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        // Go ignores pairs with a semicolon or wrong escapes.
        if (pair.empty() || pair.find(';') != std::string_view::npos) continue;
        const auto equals = std::min(pair.find('='), pair.size());
        auto key = unescaped(pair.substr(0, equals), true);
        auto item = unescaped(pair.substr(std::min(equals + 1, pair.size())), true);
        if (!key || !item) continue;
        if (!from.take(3 * item_bytes + pair.size())) return make_exhausted();
        found[*std::move(key)].emplace_back(*std::move(item));
    }
    std::vector<map_entry> entries;
    for (auto& [key, items] : found) entries.push_back({value(key), value::of_list(std::move(items))});
    return make_map(std::move(entries));
}

constexpr function_entry url_entries[] = {
    {"url", make_url, call_cost::scan}, {"isURL", is_url}, {"getScheme", scheme},    {"getHost", host},
    {"getHostname", host_name},         {"getPort", port}, {"getEscapedPath", path}, {"getQuery", query},
};

} // namespace

function_table url_functions() { return {url_entries}; }

} // namespace kubecoro::cel::detail
