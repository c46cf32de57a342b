#include "rest/answer_core.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t shown_name = 100;

/// True for groups defined by Kubernetes itself.
bool is_builtin(std::string_view group) { return group.find('.') == group.npos || group.ends_with(".k8s.io"); }

bool is_named_after(std::string_view list, std::string_view kind)
{
    if (kind.empty()) return list.ends_with("List");
    return list.starts_with(kind) && list.substr(kind.size()) == "List";
}

std::string words(std::string_view api_version, std::string_view kind)
{
    if (kind.empty()) return "no kind";
    return printable(api_version, shown_name) + " " + printable(kind, shown_name);
}

} // namespace

result<> check_list(const list_page& page, const resource_type& asked, bool metadata_only)
{
    if (metadata_only && page.kind == "PartialObjectMetadataList" && page.api_version == "meta.k8s.io/v1") return {};
    const bool right_kind = is_named_after(page.kind, asked.kind) || (!is_builtin(asked.group) && !page.kind.empty());
    if (right_kind && page.api_version == asked.api_version()) return {};
    return failure(cond::corrupt, "the response is " + words(page.api_version, page.kind) + " and not " +
                                      words(asked.api_version(), asked.kind.empty() ? "List" : asked.kind + "List"));
}

result<> check_list_version(const list_page& page)
{
    if (!page.resource_version.empty()) return {};
    return failure(cond::corrupt, "the list has no resourceVersion, so no watch can start from it");
}

namespace {

constexpr std::size_t shown_type = 100;
constexpr std::size_t shown_body = 160;

/// The words of a text, separated by single spaces.
std::string words(std::string_view text)
{
    std::string out;
    for (char c : printable(text))
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

/// Matches the responses of Go's server and of nginx to plain HTTP on a TLS port.
bool is_complaint_about_plain_http(std::string_view body)
{
    return body.find("HTTP request to an HTTPS server") != body.npos ||
           body.find("HTTP request was sent to HTTPS port") != body.npos;
}

/// Without parameters, in lower case.
std::string media_type(std::string_view content_type)
{
    std::string type(content_type.substr(0, content_type.find(';')));
    std::transform(type.begin(), type.end(), type.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    while (!type.empty() && type.back() == ' ') type.pop_back();
    return type;
}

} // namespace

std::optional<wire_form> form_of(std::string_view content_type)
{
    const auto type = media_type(content_type);
    if (type == "application/vnd.kubernetes.protobuf") return wire_form::protobuf;
    if (type.empty() || type.find("json") != std::string::npos) return wire_form::json;
    return std::nullopt;
}

bool is_web_page(std::string_view content_type)
{
    const auto type = media_type(content_type);
    return type == "text/html" || type == "application/xhtml+xml";
}

failure foreign_answer(std::string_view content_type, std::string_view body)
{
    const auto beginning = printable(words(body.substr(0, foreign_beginning)), shown_body);
    return failure(cond::corrupt,
                   "the response is " + printable(content_type, shown_type) +
                       " and not JSON; is there a proxy or a login page in between? It begins: " + beginning);
}

failure refused_answer(int code, std::string_view body, std::optional<std::chrono::seconds> retry_after)
{
    auto told = failure_of_answer(code, body);
    if (retry_after && told.status() && !told.retry_after()) {
        auto status = *told.status();
        status.retry_after = retry_after;
        told = failure(std::move(status));
    }
    if (code != 400 || !is_complaint_about_plain_http(body)) return told;
    return told.because("the server expects TLS: its address must begin with https://");
}

namespace {

constexpr std::size_t most_seen = 1000;
// A kube-apiserver cuts a warning at 256 characters when there are many.
constexpr std::size_t longest_text = 1024;
constexpr std::string_view passed_on = "299";

void skip_blanks(std::string_view& rest) { rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t"))); }

/// Takes the word up to a blank.
std::string_view take_word(std::string_view& rest)
{
    const auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    skip_blanks(rest);
    return word;
}

/// Takes a text in double quotes, in which a backslash precedes a character that stands for itself.
std::optional<std::string> take_quoted(std::string_view& rest)
{
    if (!rest.starts_with('"')) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            rest.remove_prefix(i + 1);
            skip_blanks(rest);
            return text;
        }
        if (rest[i] == '\\' && ++i == rest.size()) return std::nullopt;
        text += rest[i];
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> parse_warnings(std::string_view header)
{
    std::vector<std::string> out;
    skip_blanks(header);
    while (!header.empty()) {
        const auto code = take_word(header);
        const auto agent = take_word(header);
        const auto text = take_quoted(header);
        if (agent.empty() || !text) break;
        if (header.starts_with('"') && !take_quoted(header)) break;
        if (!header.empty() && !header.starts_with(',')) break;
        header.remove_prefix(header.empty() ? 0 : 1);
        skip_blanks(header);
        if (code == passed_on) out.push_back(printable(*text, longest_text));
    }
    return out;
}

bool seen_warnings::is_new(const std::string& text)
{
    if (seen_.size() >= most_seen && !seen_.contains(text)) seen_.clear();
    return seen_.insert(text).second;
}

} // namespace kubecoro::detail
