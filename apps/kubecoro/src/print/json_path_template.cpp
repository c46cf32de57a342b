#include "print/json_lines.hpp"
#include "print/json_path_step.hpp"

namespace kubecoro::tool {

namespace json = boost::json;

struct json_path_template::part
{
    /// Literal text, if `path` is empty.
    std::string text;
    std::optional<json_path> path;
    /// Repeated for each value of the path.
    std::optional<std::vector<std::shared_ptr<const part>>> range;
};

std::size_t closing_brace(std::string_view text, std::size_t at)
{
    char quote = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quote && c == '\\')
            ++at;
        else if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '}')
            return at;
    }
    return text.npos;
}

namespace {

using part = json_path_template::part;
using parts = std::vector<std::shared_ptr<const part>>;

std::string unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char c = text[++i];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    return out;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// Reads parts up to {end} or the end of the text, from which the parts are removed.
// NOLINTNEXTLINE(misc-no-recursion): bounded by max_json_path_depth
result<parts> read_parts(std::string_view& text, int depth)
{
    parts out;
    if (depth > max_json_path_depth) return failure(cond::invalid, "the JSONPath has too many ranges within ranges");
    while (!text.empty()) {
        const auto open = std::min(text.find('{'), text.size());
        if (open != 0) out.push_back(std::make_shared<part>(part{std::string(text.substr(0, open)), {}, {}}));
        text.remove_prefix(open);
        if (text.empty()) break;
        const auto close = closing_brace(text, 1);
        if (close == text.npos) return failure(cond::invalid, "the JSONPath has a { without its }");
        const auto inside = trimmed(text.substr(1, close - 1));
        text.remove_prefix(close + 1);
        if (inside == "end") {
            if (depth == 0) return failure(cond::invalid, "the JSONPath has an {end} without its {range}");
            return out;
        }
        if (inside.size() >= 2 && (inside.front() == '"' || inside.front() == '\'') &&
            inside.back() == inside.front()) {
            out.push_back(std::make_shared<part>(part{unescaped(inside.substr(1, inside.size() - 2)), {}, {}}));
            continue;
        }
        const bool range = inside.starts_with("range ");
        auto path = json_path::parse(range ? trimmed(inside.substr(6)) : inside);
        if (!path) return path.error();
        part next{{}, std::move(*path), {}};
        if (range) {
            auto repeated = read_parts(text, depth + 1);
            if (!repeated) return repeated.error();
            next.range = std::move(*repeated);
        }
        out.push_back(std::make_shared<part>(std::move(next)));
    }
    if (depth != 0) return failure(cond::invalid, "the JSONPath has a {range} without its {end}");
    return out;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the template
void append(std::string& out, const parts& of, const json::value& root)
{
    for (const auto& p : of) {
        if (!p->path) {
            out += p->text;
            continue;
        }
        const auto found = p->path->find(root);
        for (std::size_t i = 0; i != found.size(); ++i) {
            if (p->range) {
                append(out, *p->range, *found[i]);
                continue;
            }
            if (i) out += ' ';
            out += scalar_text(*found[i]);
        }
    }
}

} // namespace

result<json_path_template> json_path_template::parse(std::string_view text)
{
    json_path_template out;
    const std::string whole = text.find('{') == text.npos ? "{" + std::string(text) + "}" : std::string(text);
    std::string_view rest = whole;
    auto read = read_parts(rest, 0);
    if (!read) return read.error();
    out.parts_ = std::move(*read);
    return out;
}

std::string json_path_template::evaluate(const json::value& root) const
{
    std::string out;
    append(out, parts_, root);
    return out;
}

} // namespace kubecoro::tool
