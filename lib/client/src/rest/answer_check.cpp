#include "rest/answer_check.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <string>
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

} // namespace kubecoro::detail
