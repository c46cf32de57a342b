#include "rest/foreign_answer.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace kubecoro::detail {

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
