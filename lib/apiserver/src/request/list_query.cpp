#include "request/list_query.hpp"

#include "objects/status_errors.hpp"
#include "text/base64.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view match_field = "resourceVersionMatch";

void check_list(const list_query& q, std::vector<status_cause>& causes)
{
    using errors::forbidden_field;
    const std::string field(match_field);
    if (!q.match.empty()) {
        if (q.version.empty())
            causes.push_back(
                forbidden_field(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
        if (!q.continue_token.empty())
            causes.push_back(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"));
        if (q.match != "Exact" && q.match != "NotOlderThan")
            causes.push_back(errors::not_supported(field, quote(q.match), R"("Exact", "NotOlderThan", "")"));
        if (q.match == "Exact" && q.version == "0")
            causes.push_back(
                forbidden_field(field, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"));
    }
    if (q.send_initial_events)
        causes.push_back(forbidden_field("sendInitialEvents", "sendInitialEvents is forbidden for list"));
}

void check_watch(const list_query& q, std::vector<status_cause>& causes)
{
    using errors::forbidden_field;
    const std::string field(match_field);
    if (q.send_initial_events && q.match != "NotOlderThan")
        causes.push_back(
            forbidden_field(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (!q.match.empty()) {
        if (!q.send_initial_events)
            causes.push_back(forbidden_field(
                field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
        if (q.match != "NotOlderThan")
            causes.push_back(errors::not_supported(field, quote(q.match), R"("NotOlderThan")"));
    }
    // Without a version a watch begins as if it had asked for the initial events.
    const bool begins_anew = !q.send_initial_events && (q.version.empty() || q.version == "0");
    if (!q.continue_token.empty() && (!q.match.empty() || begins_anew))
        causes.push_back(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"));
}

} // namespace

answer<std::optional<std::int64_t>> int_parameter(const parsed_target& target, std::string_view key)
{
    if (!target.has(key)) return std::optional<std::int64_t>();
    const auto text = target.value(key);
    // As for ParseInt, there may be one sign.
    const auto digits = text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (ec != std::errc{} || end != digits.data() + digits.size())
        return errors::bad_request("strconv.ParseInt: parsing " + quote(text) + ": " +
                                   (ec == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
    return std::optional(value);
}

answer<list_query> read_list_query(const parsed_target& target, bool watch)
{
    list_query q;
    q.label_selector = target.value("labelSelector");
    q.field_selector = target.value("fieldSelector");
    q.version = target.value("resourceVersion");
    q.match = target.value("resourceVersionMatch");
    q.continue_token = target.value("continue");
    q.bookmarks = target.flag("allowWatchBookmarks");
    if (target.has("sendInitialEvents")) q.send_initial_events = target.flag("sendInitialEvents");
    const auto limit = int_parameter(target, "limit");
    if (!limit) return limit.error();
    q.limit = std::max<std::int64_t>(limit->value_or(0), 0);
    const auto timeout = int_parameter(target, "timeoutSeconds");
    if (!timeout) return timeout.error();
    q.timeout_seconds = std::max<std::int64_t>(timeout->value_or(0), 0);

    std::vector<status_cause> causes;
    watch ? check_watch(q, causes) : check_list(q, causes);
    if (!causes.empty()) return errors::invalid_options("ListOptions", std::move(causes));
    return q;
}

boost::system::result<std::uint64_t, detail::problem_words> parse_version(std::string_view text)
{
    std::uint64_t version = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (ec != std::errc{} || end != text.data() + text.size())
        return {boost::system::in_place_error,
                "resourceVersion: Invalid value: " + quote(text) + ": strconv.ParseUint: parsing " + quote(text) +
                    ": " + (ec == std::errc::result_out_of_range ? "value out of range" : "invalid syntax")};
    return version;
}

std::string encode_continue(const continue_point& p)
{
    std::string text = R"({"v":"meta.k8s.io/v1","rv":)" + std::to_string(p.version) + R"(,"start":)";
    append_quoted(text, p.start);
    return encode_base64url(text + "}");
}

answer<continue_point> decode_continue(std::string_view token)
{
    const auto bad = [](const std::string& why) {
        return errors::bad_request("invalid continue token: continue key is not valid: " + why);
    };
    std::string text;
    if (const auto at = decode_base64url(token, text); at != std::string_view::npos)
        return bad("illegal base64 data at input byte " + std::to_string(at));
    const auto parsed = parse_json(text, 8);
    if (!parsed) return bad(parsed.error());
    const auto version = text_at(*parsed, "v");
    if (version != "meta.k8s.io/v1")
        return bad("server does not recognize this encoded version " + std::string(version));
    continue_point p;
    p.version = int_at(*parsed, "rv");
    if (p.version == 0) return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
    p.start = text_at(*parsed, "start");
    if (p.start.empty()) return bad("encoded start key empty (version meta.k8s.io/v1)");
    if (p.start.front() != '/') p.start.insert(0, "/");
    if (p.start.find("/../") != std::string::npos) return bad("invalid continue key");
    return p;
}

} // namespace kubecoro::apiserver
