#include <kubecoro/api/selector.hpp>

#include <algorithm>
#include <tuple>

namespace kubecoro {
namespace {

failure wrong(std::string_view text, const std::string& what, std::size_t at)
{
    return failure(cond::invalid,
                   "field selector \"" + std::string(text) + "\": " + what + " at position " + std::to_string(at));
}

// The end of the term that starts at `at`: the next comma without a backslash.
std::size_t term_end(std::string_view text, std::size_t at) noexcept
{
    for (; at < text.size() && text[at] != ','; ++at)
        if (text[at] == '\\') ++at;
    return std::min(at, text.size());
}

result<std::string> unescaped(std::string_view text, std::size_t from, std::size_t to)
{
    std::string out;
    for (std::size_t i = from; i < to; ++i) {
        char c = text[i];
        if (c == '=') return wrong(text, "unescaped '=' in a value", i);
        if (c == '\\') {
            if (++i == to) return wrong(text, "unexpected end, expected ',', '=' or '\\' after a backslash", i);
            c = text[i];
            if (c != '\\' && c != ',' && c != '=')
                return wrong(text, "found '" + std::string(1, c) + "', expected ',', '=' or '\\' after a backslash", i);
        }
        out += c;
    }
    return out;
}

// Paths have no escapes, but a backslash keeps a comma from ending a term.
bool is_path(std::string_view text)
{
    return !text.empty() && text.find_first_of("=!") == text.npos && term_end(text, 0) == text.size();
}

std::string escaped(std::string_view value)
{
    std::string out;
    for (char c : value) {
        if (c == '\\' || c == ',' || c == '=') out += '\\';
        out += c;
    }
    return out;
}

result<field_selector::requirement> parse_term(std::string_view text, std::size_t from, std::size_t to)
{
    const auto at = text.find_first_of("=!", from);
    const bool has_operator = at < to && (text[at] == '=' || (at + 1 < to && text[at + 1] == '='));
    if (!has_operator) return wrong(text, "found no operator, expected =, == or !=", std::min(at, to));
    if (at == from) return wrong(text, "expected a field path", from);
    const std::size_t width = at + 1 < to && text[at + 1] == '=' ? 2 : 1;
    auto value = unescaped(text, at + width, to);
    if (!value) return value.error();
    return field_selector::requirement{std::string(text.substr(from, at - from)), text[at] == '=', std::move(*value)};
}

} // namespace

field_selector::field_selector(std::vector<requirement> requirements) : requirements_(std::move(requirements))
{
    for (const auto& r : requirements_)
        if (!is_path(r.path))
            throw error(failure(cond::invalid, "field selector: \"" + r.path + "\" is no field path"));
    const auto order = [](const requirement& r) { return std::tie(r.path, r.equal, r.value); };
    std::sort(requirements_.begin(), requirements_.end(),
              [&](const requirement& a, const requirement& b) { return order(a) < order(b); });
    requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

result<field_selector> field_selector::parse(std::string_view text)
{
    std::vector<requirement> requirements;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = term_end(text, at);
        // Empty terms are ignored, as by the server.
        if (end != at) {
            auto r = parse_term(text, at, end);
            if (!r) return r.error();
            requirements.push_back(std::move(*r));
        }
        at = end + 1;
    }
    return field_selector(std::move(requirements));
}

bool field_selector::matches(const std::function<std::string(std::string_view path)>& field) const
{
    return std::all_of(requirements_.begin(), requirements_.end(),
                       [&](const requirement& r) { return (field(r.path) == r.value) == r.equal; });
}

std::string field_selector::to_string() const
{
    std::string out;
    for (const auto& r : requirements_) {
        if (!out.empty()) out += ',';
        out += r.path + (r.equal ? "=" : "!=") + escaped(r.value);
    }
    return out;
}

} // namespace kubecoro
