#include "objects/status_errors.hpp"

#include "text/json_text.hpp"

namespace kubecoro::apiserver {

namespace errors {

status_error make(int code, std::string reason, std::string message)
{
    status_error e;
    e.code = code;
    e.reason = std::move(reason);
    e.message = std::move(message);
    return e;
}

namespace {

status_error about(const resource_info& info, std::string_view name, int code, std::string reason, std::string message)
{
    auto e = make(code, std::move(reason), std::move(message));
    e.name = name;
    e.group = info.group;
    e.kind = info.plural;
    return e;
}

std::string named(const resource_info& info, std::string_view name)
{
    return info.display_name() + " \"" + std::string(name) + "\"";
}

} // namespace

status_error not_found(const resource_info& info, std::string_view name)
{
    return about(info, name, 404, "NotFound", named(info, name) + " not found");
}

status_error forbidden(const resource_info& info, std::string_view name, std::string_view why)
{
    return about(info, name, 403, "Forbidden", named(info, name) + " is forbidden: " + std::string(why));
}

status_error no_such_resource()
{
    auto e = make(404, "NotFound", "the server could not find the requested resource");
    e.empty_details = true;
    return e;
}

status_error no_such_page()
{
    auto e = make(404, {}, "404 page not found");
    e.plain_text = true;
    return e;
}

status_error already_exists(const resource_info& info, std::string_view name, bool being_deleted)
{
    return about(info, name, 409, "AlreadyExists",
                 (being_deleted ? "object is being deleted: " : "") + named(info, name) + " already exists");
}

status_error no_unique_name(const resource_info& info, std::string_view name)
{
    auto e =
        about(info, name, 409, "AlreadyExists",
              named(info, name) + " already exists, the server was not able to generate a unique name for the object");
    e.retry_after = std::chrono::seconds{1};
    return e;
}

status_error conflict(const resource_info& info, std::string_view name)
{
    return about(info, name, 409, "Conflict",
                 "Operation cannot be fulfilled on " + named(info, name) +
                     ": the object has been modified; please apply your changes to the latest version and try again");
}

status_error bad_request(std::string message) { return make(400, "BadRequest", std::move(message)); }

status_error other_name(std::string_view name, const std::string& url_name)
{
    if (name.empty())
        return bad_request("the name of the object (" + url_name +
                           " based on URL) was undeterminable: name must be provided");
    return bad_request("the name of the object (" + std::string(name) + ") does not match the name on the URL (" +
                       url_name + ")");
}

status_error other_namespace()
{
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
}

status_error internal(std::string message) { return make(500, {}, std::move(message)); }

status_error method_not_allowed()
{
    auto e = make(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    e.empty_details = true;
    return e;
}

status_error unauthorized() { return make(401, "Unauthorized", "Unauthorized"); }

status_error too_large()
{
    return make(413, "RequestEntityTooLarge", "Request entity too large: limit is " + std::to_string(max_body_bytes));
}

status_error expired(std::string message) { return make(410, "Expired", std::move(message)); }

status_error future_version(std::uint64_t asked, std::uint64_t current)
{
    auto e =
        make(504, "Timeout",
             "Timeout: Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current));
    e.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", {}});
    e.retry_after = std::chrono::seconds{1};
    e.delayed = true;
    return e;
}

status_error unsupported_patch_body()
{
    auto e = make(422, "Invalid", "the server rejected our request due to an error in our request");
    e.empty_details = true;
    return e;
}

status_cause invalid_value(std::string field, std::string_view shown, std::string_view why)
{
    return {"FieldValueInvalid", "Invalid value: " + std::string(shown) + ": " + std::string(why), std::move(field)};
}

status_cause required(std::string field, std::string_view why)
{
    return {"FieldValueRequired", why.empty() ? "Required value" : "Required value: " + std::string(why),
            std::move(field)};
}

status_cause duplicate(std::string field, std::string_view shown)
{
    return {"FieldValueDuplicate", "Duplicate value: " + std::string(shown), std::move(field)};
}

status_cause absent_value(std::string field, std::string_view shown)
{
    return {"FieldValueNotFound", "Not found: " + std::string(shown), std::move(field)};
}

status_cause forbidden_field(std::string field, std::string_view why)
{
    return {"FieldValueForbidden", "Forbidden: " + std::string(why), std::move(field)};
}

status_cause not_supported(std::string field, std::string_view shown, std::string_view supported)
{
    return {"FieldValueNotSupported",
            "Unsupported value: " + std::string(shown) + ": supported values: " + std::string(supported),
            std::move(field)};
}

status_cause too_many(std::string field, std::size_t count, std::size_t most)
{
    return {"FieldValueTooMany",
            "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(most) + " items",
            std::move(field)};
}

status_cause too_long(std::string field, std::string_view bytes)
{
    return {"FieldValueTooLong", "Too long: may not be more than " + std::string(bytes) + " bytes", std::move(field)};
}

status_error invalid(std::string_view kind, std::string_view group, std::string_view name,
                     std::vector<status_cause> causes)
{
    status_error e;
    static_cast<server_status&>(e) = invalid_status(kind, group, name, std::move(causes));
    return e;
}

status_error invalid(const resource_info& info, std::string_view name, std::vector<status_cause> causes)
{
    return invalid(info.kind, info.group, name, std::move(causes));
}

status_error invalid_options(std::string_view kind, std::vector<status_cause> causes)
{
    return invalid(kind, "meta.k8s.io", "", std::move(causes));
}

} // namespace errors

namespace {

void append_details(std::string& out, const status_error& e)
{
    const bool any = !e.name.empty() || !e.group.empty() || !e.kind.empty() || !e.causes.empty() || e.retry_after;
    if (!any && !e.empty_details) return;
    out += R"(,"details":{)";
    char separator = 0;
    const auto member = [&](std::string_view key) {
        if (separator) out += separator;
        separator = ',';
        append_quoted(out, key);
        out += ':';
    };
    const auto text = [&](std::string_view key, std::string_view value) {
        if (value.empty()) return;
        member(key);
        append_quoted(out, value);
    };
    text("name", e.name);
    text("group", e.group);
    text("kind", e.kind);
    if (!e.causes.empty()) {
        member("causes");
        char between = '[';
        for (const auto& c : e.causes) {
            out += between;
            between = ',';
            out += '{';
            if (!c.reason.empty()) out += R"("reason":)" + quote(c.reason) + ',';
            out += R"("message":)" + quote(c.message);
            if (!c.field.empty()) out += R"(,"field":)" + quote(c.field);
            out += '}';
        }
        out += ']';
    }
    if (e.retry_after) {
        member("retryAfterSeconds");
        out += std::to_string(e.retry_after->count());
    }
    out += '}';
}

} // namespace

std::string status_text(const status_error& e)
{
    std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
    if (!e.continue_token.empty()) out += R"("continue":)" + quote(e.continue_token);
    out += R"(},"status":"Failure","message":)" + quote(e.message);
    if (!e.reason.empty()) out += R"(,"reason":)" + quote(e.reason);
    append_details(out, e);
    out += R"(,"code":)" + std::to_string(e.code) + "}";
    return out;
}

std::string success_text(int code)
{
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":)" + std::to_string(code) +
           "}";
}

http_response respond(const status_error& e)
{
    http_response r;
    r.status = e.code;
    if (e.plain_text) {
        r.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}};
        r.body = e.message + "\n";
        return r;
    }
    r.headers = {{"Content-Type", "application/json"}};
    if (e.retry_after) r.headers.emplace_back("Retry-After", std::to_string(e.retry_after->count()));
    r.body = status_text(e) + "\n";
    if (e.delayed) r.delay = std::chrono::seconds{3};
    return r;
}

std::string_view go_kind(const json::value& v)
{
    switch (v.kind()) {
    case json::kind::null:
        return "null";
    case json::kind::bool_:
        return "bool";
    case json::kind::string:
        return "string";
    case json::kind::array:
        return "array";
    case json::kind::object:
        return "object";
    default:
        return "number";
    }
}

status_error wrong_type(const std::string& kind, std::string_view version, const json::value& found,
                        std::string_view field, std::string_view wanted)
{
    return errors::bad_request(kind + " in version \"" + std::string(version) + "\" cannot be handled as a " + kind +
                               ": json: cannot unmarshal " + std::string(go_kind(found)) + " into Go struct field " +
                               std::string(field) + " of type " + std::string(wanted));
}

void append_causes(std::vector<status_cause>& causes, const std::vector<field_error>& errors)
{
    for (const auto& e : errors) causes.push_back(e.cause());
}

} // namespace kubecoro::apiserver
