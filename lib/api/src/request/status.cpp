#include <kubecoro/api/status.hpp>

#include "protobuf/object_reader.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/base/printable.hpp>

#include <utility>
#include <vector>

namespace kubecoro {
namespace {

// Maximum length shown of a response that is not a Status.
constexpr std::size_t shown_body = 2048;
// Limits of what is kept of a Status, and logged again and again: more would not be readable.
constexpr std::size_t max_causes = 256;
constexpr std::size_t max_message = std::size_t{16} * 1024;
constexpr std::size_t max_word = 1024;
constexpr std::size_t max_text_of_causes = std::size_t{256} * 1024;

/// The first bytes, up to the end of a character.
std::string_view shortened(std::string_view text, std::size_t most)
{
    if (text.size() <= most) return text;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
    while (most != 0 && continues(text[most])) --most;
    return text.substr(0, most);
}

std::string message_of(value_view status)
{
    const auto whole = status["message"].as_string();
    std::string out(shortened(whole, max_message));
    if (out.size() != whole.size()) out += " ... (" + std::to_string(whole.size() - out.size()) + " more bytes)";
    return out;
}
std::string word_of(value_view v) { return std::string(shortened(v.as_string(), max_word)); }

std::vector<status_cause> causes_of(value_view details)
{
    std::vector<status_cause> out;
    std::size_t bytes = 0;
    for (const value_view cause : details["causes"].items()) {
        status_cause one{word_of(cause["reason"]), message_of(cause), word_of(cause["field"])};
        bytes += one.reason.size() + one.message.size() + one.field.size();
        if (out.size() == max_causes || bytes > max_text_of_causes) break;
        out.push_back(std::move(one));
    }
    return out;
}

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
    s.reason = word_of(status["reason"]);
    s.message = message_of(status);
    s.kind = word_of(details["kind"]);
    s.group = word_of(details["group"]);
    s.name = word_of(details["name"]);
    s.causes = causes_of(details);
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
