#include "http_request.hpp"

#include <algorithm>
#include <charconv>

namespace kubecoro::bench {
namespace {

failure bad(const char* what) { return failure{cond::invalid, what}; }

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

template<class Number>
std::optional<Number> number_of(std::string_view text, int base = 10)
{
    Number out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

result<std::string> decoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i] == '+' ? ' ' : text[i];
            continue;
        }
        const auto byte = number_of<unsigned char>(text.substr(i + 1, 2), 16);
        if (!byte || text.size() < i + 3) return bad("a % without two hexadecimal digits");
        out += static_cast<char>(*byte);
        i += 2;
    }
    return out;
}

/// Returns the text before the first `separator`; `text` keeps the part after it.
std::string_view cut(std::string_view& text, std::string_view separator)
{
    const std::size_t at = std::min(text.find(separator), text.size());
    const std::string_view out = text.substr(0, at);
    text.remove_prefix(std::min(at + separator.size(), text.size()));
    return out;
}

result<> read_target(std::string_view target, http_request& out)
{
    if (!target.starts_with('/')) return bad("a target that is not a path");
    auto path = decoded(cut(target, "?"));
    if (!path) return path.error();
    out.path = std::move(*path);
    while (!target.empty()) {
        std::string_view pair = cut(target, "&");
        auto name = decoded(cut(pair, "="));
        auto value = decoded(pair);
        if (!name) return name.error();
        if (!value) return value.error();
        out.query[std::move(*name)] = std::move(*value);
    }
    return {};
}

result<> read_header(std::string_view line, http_request& out)
{
    if (line.find(':') == std::string_view::npos) return bad("a header without a colon");
    const std::string name = lower(cut(line, ":"));
    const std::string_view value = trimmed(line);
    if (name == "accept") {
        out.accept += (out.accept.empty() ? "" : ",") + lower(value);
    } else if (name == "connection") {
        if (lower(value).find("close") != std::string::npos) out.keep_alive = false;
    } else if (name == "content-length") {
        const auto length = number_of<std::uint64_t>(value);
        if (!length) return bad("a Content-Length that is not a number");
        out.content_length = *length;
    } else if (name == "transfer-encoding") {
        return bad("a request with a chunked body");
    }
    return {};
}

} // namespace

std::string_view http_request::parameter(std::string_view name) const
{
    const auto found = query.find(name);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

bool http_request::flag(std::string_view name) const
{
    const std::string_view value = parameter(name);
    return value == "1" || value == "t" || value == "T" || value == "true" || value == "True" || value == "TRUE";
}

std::optional<std::uint64_t> http_request::number(std::string_view name) const
{
    return number_of<std::uint64_t>(parameter(name));
}

result<http_request> parse_http_request(std::string_view head)
{
    http_request out;
    std::string_view line = cut(head, "\r\n");
    out.method = cut(line, " ");
    const std::string_view target = cut(line, " ");
    if (line != "HTTP/1.1") return bad("not HTTP/1.1");
    if (auto read = read_target(target, out); !read) return read.error();
    while (!head.empty())
        if (auto read = read_header(cut(head, "\r\n"), out); !read) return read.error();
    return out;
}

} // namespace kubecoro::bench
