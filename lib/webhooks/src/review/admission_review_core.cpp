#include "review/admission_review_core.hpp"

#include "review/review_core.hpp"
#include "review/review_parts_core.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/utf8.hpp>
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// A kube-apiserver refuses longer ones, and more bytes of all together.
constexpr std::size_t max_warning_bytes = 256;
constexpr std::size_t max_warnings_bytes = 4096;

/// @param left  The member as it is without those that were taken out.
/// @param found  The member that was taken out; null = none.
result<object> part(value_view left, object found, std::string_view name)
{
    const bool has_left = left.kind() != value_kind::absent && left.kind() != value_kind::null;
    if (has_left && found) return unusable_review("the review has two of " + std::string(name));
    if (!has_left) return found;
    if (!left.is_object()) return unusable_review("the review's " + std::string(name) + " is no object");
    auto parsed = object::parse(left.to_text());
    if (!parsed) return unusable_review("the review's " + std::string(name) + ": " + parsed.error().message());
    return parsed;
}

std::vector<std::string> texts(value_view list)
{
    std::vector<std::string> out;
    for (const auto item : list.items()) out.emplace_back(item.as_string());
    return out;
}

user_info user_of(value_view info)
{
    user_info out{std::string(info["username"].as_string()), texts(info["groups"]),
                  std::string(info["uid"].as_string())};
    for (const auto [name, values] : info["extra"].members()) out.extra.emplace_back(std::string(name), texts(values));
    return out;
}

resource_type type_of(value_view resource, value_view kind, bool namespaced)
{
    return {std::string(resource["group"].as_string()), std::string(resource["version"].as_string()),
            std::string(resource["resource"].as_string()), std::string(kind["kind"].as_string()), namespaced};
}

result<admission_operation> operation_of(std::string_view text)
{
    using enum admission_operation;
    for (const auto o : {create, update, remove, connect})
        if (text == to_string(o)) return o;
    return unusable_review("the review has an unknown operation: " + printable(text, 40));
}

std::string_view reason_of(int code) noexcept
{
    switch (code) {
    case 400:
        return "BadRequest";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "NotFound";
    case 409:
        return "Conflict";
    case 410:
        return "Expired";
    case 413:
        return "RequestEntityTooLarge";
    case 422:
        return "Invalid";
    case 429:
        return "TooManyRequests";
    case 500:
        return "InternalError";
    case 503:
        return "ServiceUnavailable";
    case 504:
        return "Timeout";
    default:
        return {};
    }
}

int code_of(cond c) noexcept
{
    switch (c) {
    case cond::not_found:
        return 404;
    case cond::already_exists:
    case cond::conflict:
        return 409;
    case cond::invalid:
        return 422;
    case cond::unauthorized:
        return 401;
    case cond::forbidden:
        return 403;
    default:
        return 500;
    }
}

json::object details_of(const server_status& s)
{
    json::object out;
    if (!s.name.empty()) out["name"] = s.name;
    if (!s.group.empty()) out["group"] = s.group;
    if (!s.kind.empty()) out["kind"] = s.kind;
    json::array causes;
    for (const auto& c : s.causes)
        causes.push_back(json::object{{"reason", c.reason}, {"message", c.message}, {"field", c.field}});
    if (!causes.empty()) out["causes"] = std::move(causes);
    if (s.retry_after) out["retryAfterSeconds"] = s.retry_after->count();
    return out;
}

json::object status_of(const server_status& s)
{
    json::object out{{"status", "Failure"}, {"message", valid_utf8(s.message)}};
    if (!s.reason.empty()) out["reason"] = s.reason;
    if (s.code != 0) out["code"] = s.code;
    if (auto details = details_of(s); !details.empty()) out["details"] = std::move(details);
    return out;
}

json::array warnings_of(const verdict& v)
{
    json::array out;
    std::size_t left = max_warnings_bytes;
    for (const auto& w : v.warnings()) {
        auto text = printable(w, std::min(max_warning_bytes, left));
        if (text.empty()) continue;
        left -= text.size();
        out.emplace_back(std::move(text));
    }
    return out;
}

} // namespace

result<admission_request> read_admission_review(std::string_view body, const std::shared_ptr<object_encoding>& names)
{
    if (auto fits = check_size(admission_review, body); !fits) return fits.error();
    const auto parts = split_review(body, {"object", "oldObject", "options"}, names);
    const auto review = read_review(admission_review, parts.rest, names);
    if (!review) return review.error();
    const auto request = (*review)["request"];
    admission_request out;
    out.uid = request["uid"].as_string();
    out.key = {request["namespace"].as_string(), request["name"].as_string()};
    const bool namespaced = !out.key.ns.empty();
    out.resource = type_of(request["resource"], request["kind"], namespaced);
    if (out.resource.plural.empty()) return unusable_review("the review's request names no resource");
    out.requested = request["requestResource"] ? type_of(request["requestResource"], request["requestKind"], namespaced)
                                               : out.resource;
    out.subresource = request["subResource"].as_string();
    const auto operation = operation_of(request["operation"].as_string());
    if (!operation) return operation.error();
    out.operation = *operation;
    out.user = user_of(request["userInfo"]);
    for (const auto& [to, name] :
         {std::pair(&out.now, "object"), std::pair(&out.before, "oldObject"), std::pair(&out.options, "options")}) {
        auto read = part(request[name], parts.value(name), name);
        if (!read) return read.error();
        *to = *std::move(read);
    }
    using enum admission_operation;
    if (!out.now && (out.operation == create || out.operation == update))
        return unusable_review("the review of a write has no object");
    if (!out.before && (out.operation == remove || out.operation == update))
        return unusable_review("the review of an update or a deletion has no oldObject");
    out.dry_run = request["dryRun"].as_bool();
    return out;
}

std::string write_admission_review(std::string_view uid, const verdict& answer, std::string_view patch)
{
    json::object response{{"allowed", answer.is_allowed()}};
    if (!answer.is_allowed()) response["status"] = status_of(answer.status());
    if (auto warnings = warnings_of(answer); !warnings.empty()) response["warnings"] = std::move(warnings);
    if (answer.is_allowed() && !patch.empty()) {
        response["patchType"] = "JSONPatch";
        response["patch"] = bytes(std::string(patch)).base64();
    }
    return write_review(admission_review, uid, std::move(response));
}

bool is_json_type(std::string_view content_type) noexcept
{
    auto type = content_type.substr(0, content_type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    constexpr std::string_view wanted = "application/json";
    return std::ranges::equal(type, wanted, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

duration review_timeout(std::string_view query) noexcept
{
    constexpr std::string_view name = "timeout=";
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        auto pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (!pair.starts_with(name)) continue;
        const auto length = go_duration::parse(pair.substr(name.size()));
        return length ? std::max(duration::zero(), duration(length->length())) : duration::zero();
    }
    return duration::zero();
}

} // namespace kubecoro::detail

namespace kubecoro {

std::string_view to_string(admission_operation o) noexcept
{
    switch (o) {
    case admission_operation::create:
        return "CREATE";
    case admission_operation::update:
        return "UPDATE";
    case admission_operation::remove:
        return "DELETE";
    case admission_operation::connect:
        return "CONNECT";
    }
    return {};
}

verdict verdict::denied(server_status status)
{
    verdict out;
    out.allowed_ = false;
    out.status_ = std::move(status);
    return out;
}

verdict verdict::denied(std::string message, int code, std::string reason)
{
    server_status status;
    status.code = code;
    status.reason = reason.empty() ? std::string(detail::reason_of(code)) : std::move(reason);
    status.message = std::move(message);
    return denied(std::move(status));
}

verdict verdict::denied(const failure& why)
{
    // A status of another server's refusal is no fault of this client: only those that its object has earned.
    const auto* status = why.status();
    if (status != nullptr && status->code >= 400 && status->code < 500) return denied(*status);
    const int code = detail::code_of(why.condition());
    return denied(why.message().empty() ? why.describe() : why.message(), code);
}

verdict& verdict::warn(std::string text) &
{
    warnings_.push_back(std::move(text));
    return *this;
}

verdict&& verdict::warn(std::string text) &&
{
    warnings_.push_back(std::move(text));
    return std::move(*this);
}

} // namespace kubecoro
