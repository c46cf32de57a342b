#include <kubecoro/api/status.hpp>

#include "protobuf/object_reader.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/printable.hpp>

namespace kubecoro {
namespace {

// Maximum length shown of a response that is not a Status.
constexpr std::size_t shown_body = 2048;
// Limits the causes of a Status; more would not be readable.
constexpr std::size_t max_causes = 256;

std::optional<std::chrono::seconds> read_retry_after(value_view details)
{
    const std::int64_t seconds = details["retryAfterSeconds"].as_int64();
    if (seconds <= 0) return std::nullopt;
    return std::chrono::seconds(seconds);
}

/// The part of the body that a message shows.
std::string beginning(std::string_view body)
{
    std::string out = printable(body, shown_body);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

} // namespace

server_status read_status(value_view status)
{
    server_status s;
    const value_view details = status["details"];
    const std::int64_t code = status["code"].as_int64();
    if (code > 0 && code < 1000) s.code = static_cast<int>(code);
    s.reason = status["reason"].as_string();
    s.message = status["message"].as_string();
    s.kind = details["kind"].as_string();
    s.group = details["group"].as_string();
    s.name = details["name"].as_string();
    for (const value_view cause : details["causes"].items()) {
        if (s.causes.size() == max_causes) break;
        s.causes.push_back({std::string(cause["reason"].as_string()), std::string(cause["message"].as_string()),
                            std::string(cause["field"].as_string())});
    }
    s.retry_after = read_retry_after(details);
    s.continue_token = status["metadata"]["continue"].as_string();
    return s;
}

failure failure_of_answer(int http_code, std::string_view body)
{
    // JSON begins with another byte, and a Status in protobuf may come where JSON was asked for.
    const wire_form form = body.starts_with(detail::protobuf_magic) ? wire_form::protobuf : wire_form::json;
    if (const auto parsed = decode_object(body, {}, {}, form); parsed && parsed->kind() == "Status") {
        server_status s = read_status(parsed->root());
        if (s.code == 0) s.code = http_code;
        return failure(std::move(s));
    }
    server_status s;
    s.code = http_code;
    s.message = beginning(body);
    return failure(std::move(s));
}

} // namespace kubecoro
