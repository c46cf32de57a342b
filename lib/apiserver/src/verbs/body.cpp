#include "verbs/body.hpp"

#include "objects/status_errors.hpp"
#include "request/list_query.hpp"
#include "request/media.hpp"
#include "schema/validation.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/detail/strict_decoding.hpp>
#include <kubecoro/api/detail/utf8.hpp>

#include <algorithm>
#include <charconv>

namespace kubecoro::apiserver {
namespace {

bool is_protobuf(const exchange& x) { return media_type(x.request.header("content-type")) == detail::protobuf_type; }

std::string hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    return out;
}

/// Quotes a body in an error as kube-apiserver does: `<empty>`, all of it, or 30 bytes and dots.
std::string shown(const exchange& x)
{
    const std::string_view body = x.request.body;
    if (body.empty()) return "(<empty>)";
    if (is_protobuf(x)) return "(" + hex(body.substr(0, 30)) + (body.size() <= 30 ? ")" : " ...)");
    return body.size() <= 30 ? "(" + std::string(body) + ")" : "(" + std::string(body.substr(0, 30)) + " ...)";
}

/// The beginning of errors about bodies that cannot be read as JSON.
std::string_view decoding(const exchange& x)
{
    return is_protobuf(x) ? "" : "couldn't get version/kind; json parse error: ";
}

/// @param protobuf  Whether the kind of the body has that form.
bool is_served_type(const exchange& x, bool protobuf)
{
    const auto header = x.request.header("content-type");
    const auto type = media_type(header);
    return header.empty() || type == "application/json" || type == "application/yaml" || (protobuf && is_protobuf(x));
}

status_error unsupported_type(const exchange& x)
{
    return errors::make(415, "UnsupportedMediaType",
                        "the body of the request was in an unknown format - accepted media types include: "
                        "application/json, application/yaml" +
                            std::string(x.store->info.custom ? "" : ", application/vnd.kubernetes.protobuf"));
}

status_error unrecognized(const exchange& x, std::string_view why)
{
    return errors::bad_request("the object provided is unrecognized (must be of type " + x.store->info.kind +
                               "): " + std::string(why) + " " + shown(x));
}

/// Maximum number of fields listed in a refusal, and maximum bytes of Warning headers in one response.
constexpr std::size_t most_complaints = 100;
constexpr std::size_t largest_warnings = 4096;

/// The JSON of a protobuf body. It has the same limits as a JSON body: a small message can be a large object.
boost::system::result<json::value, detail::problem_words> read_protobuf(const exchange& x, std::string_view api_version,
                                                                        std::string_view kind)
{
    decode_limits limits;
    limits.max_object_bytes = max_body_bytes;
    limits.max_depth = deepest_body;
    const auto object = detail::decode_protobuf_body(x.request.body, api_version, kind, limits);
    if (!object) return {boost::system::in_place_error, object.error().message()};
    const std::string text = object->to_text();
    if (text.size() > max_body_bytes)
        return {boost::system::in_place_error,
                "the object is larger than " + std::to_string(max_body_bytes) + " bytes in JSON"};
    if (key_comparisons(text, deepest_body) > most_comparisons)
        return {boost::system::in_place_error, "an object has too many members"};
    return parse_json(text, deepest_body);
}

boost::system::result<json::value, detail::problem_words> read_yaml(const exchange& x,
                                                                    std::vector<std::string>* duplicates)
{
    const auto body = x.request.yaml ? x.request.yaml : parse_yaml_body(x.request);
    const auto& parsed = body->parsed;
    if (!parsed) return {boost::system::in_place_error, parsed.error()};
    if (duplicates) *duplicates = parsed->duplicates;
    return parsed->value;
}

std::vector<std::string> duplicates_in(std::string_view text, std::size_t max_depth)
{
    auto complaints = detail::duplicate_fields(text, max_depth);
    for (auto& field : complaints) field = "duplicate field " + quote(field);
    return complaints;
}

boost::system::result<json::value, detail::problem_words>
read_any(const exchange& x, std::string_view api_version, std::string_view kind, std::vector<std::string>* duplicates)
{
    if (x.target.value("fieldValidation") == "Ignore") duplicates = nullptr;
    if (is_protobuf(x)) return read_protobuf(x, api_version, kind);
    if (x.request.yaml || is_plain_yaml(x.request)) return read_yaml(x, duplicates);
    const bool may_be_yaml = is_called_yaml(x.request);
    std::string repaired; // Go's JSON takes any bytes for text, its YAML does not.
    if (!may_be_yaml && !detail::is_utf8(x.request.body)) repaired = detail::valid_utf8(x.request.body);
    const std::string_view body = repaired.empty() ? x.request.body : repaired;
    // Before anything is built of it.
    if (key_comparisons(body, deepest_body) > most_comparisons)
        return {boost::system::in_place_error, "an object has too many members"};
    auto parsed = parse_json(body, deepest_body);
    if (!parsed && may_be_yaml) return read_yaml(x, duplicates);
    if (parsed && duplicates) *duplicates = duplicates_in(body, deepest_body);
    return parsed;
}

} // namespace

boost::system::result<json::value, detail::problem_words> read_document(const exchange& x,
                                                                        std::vector<std::string>* duplicates)
{
    return read_any(x, x.store->info.api_version(x.route.version), x.store->info.kind, duplicates);
}

boost::system::result<json::value, detail::problem_words> read_document(const exchange& x, std::string_view api_version,
                                                                        std::string_view kind)
{
    return read_any(x, api_version, kind, nullptr);
}

answer<json::value> read_object(exchange& x)
{
    if (!is_served_type(x, !x.store->info.custom)) return unsupported_type(x);
    std::vector<std::string> duplicates;
    auto body = read_document(x, &duplicates);
    if (!body) return unrecognized(x, std::string(decoding(x)) + body.error());
    const auto& info = x.store->info;
    if (body->is_null() && !info.custom) body->emplace_object(); // as Go reads it
    if (!body->is_object())
        return unrecognized(x, "couldn't get version/kind; json parse error: json: cannot unmarshal " +
                                   std::string(go_kind(*body)) + " into Go value of type struct");
    if (auto fault = find_type_fault(x, *body)) {
        if (fault->verdict) return *fault->verdict;
        if (fault->unreadable) return unrecognized(x, fault->why);
        const auto api_version = text_at(*body, "apiVersion");
        const auto version = api_version.empty() ? x.route.version : api_version.substr(api_version.rfind('/') + 1);
        const auto kind = text_at(*body, "kind");
        return errors::bad_request(in_version(kind.empty() ? info.kind : kind, version, info) + ": " + fault->why);
    }
    fill_null_texts(info, *body);
    if (auto e = check_types(info, x.route.version, *body)) return *e;
    if (const auto why = settle_doubtful_fields(x, *body, duplicates); !why.empty())
        return errors::bad_request(in_version(info.kind, x.route.version, info) + ": " + why);
    for (const std::string_view key : {"kind", "apiVersion"}) body->get_object().erase(key);
    return std::move(*body);
}

answer<json::value> read_part(const exchange& x, std::string_view api_version, std::string_view kind)
{
    if (!is_served_type(x, true)) return unsupported_type(x);
    auto body = read_document(x, api_version, kind);
    const auto unusable = [&](std::string_view why) {
        return errors::bad_request("the object provided is unrecognized (must be of type " + std::string(kind) +
                                   "): " + std::string(why) + " " + shown(x));
    };
    if (!body) return unusable(std::string(decoding(x)) + body.error());
    if (!body->is_object()) return unusable("it is no object");
    const auto given_kind = text_at(*body, "kind");
    const auto given_version = text_at(*body, "apiVersion");
    if ((!given_kind.empty() && given_kind != kind) || (!given_version.empty() && given_version != api_version))
        return unusable("it is a " + std::string(given_version) + " " + std::string(given_kind));
    if (auto e = check_builtin_types(api_version, kind, *body)) return *e;
    return std::move(*body);
}

std::optional<status_error> check_place(const exchange& x, const json::value& body)
{
    const auto ns = text_at(body, "metadata.namespace");
    if (x.store->info.namespaced && !ns.empty() && ns != x.route.ns) return errors::other_namespace();
    if (const auto name = text_at(body, "metadata.name"); name != x.route.name)
        return errors::other_name(name, x.route.name);
    return {};
}

void warn_of(exchange& x, const std::vector<std::string>& complaints)
{
    std::size_t room = largest_warnings;
    for (const auto& complaint : complaints) {
        if (complaint.size() > room) break;
        room -= complaint.size();
        x.warnings.push_back(complaint);
    }
}

std::string settle_doubtful_fields(exchange& x, json::value& body, const std::vector<std::string>& duplicates)
{
    const auto& info = x.store->info;
    const auto unknown = unknown_fields(info, x.route.version, body);
    std::vector<std::string> complaints = duplicates;
    for (const auto& field : unknown) complaints.push_back("unknown field " + quote(field));
    // Unknown fields of protobuf have no names: a kube-apiserver ignores them, and validates nothing.
    const auto mode = is_protobuf(x) ? "Ignore" : x.target.value("fieldValidation");
    if (mode == "Strict" && !complaints.empty()) {
        std::string list;
        for (std::size_t i = 0; i < std::min(complaints.size(), most_complaints); ++i)
            list += (i == 0 ? "" : ", ") + complaints[i];
        return "strict decoding error: " + list;
    }
    if (mode != "Ignore") warn_of(x, complaints);
    // The objects that server-side apply makes keep their nulls.
    if (const auto* served = info.find_version(x.route.version); served && served->compiled)
        served->compiled->drop_nulls(body);
    if (unknown.empty()) return {};
    if (const auto* kind = detail::builtin_schemas::find(info.api_version(x.route.version), info.kind);
        kind && !info.custom) {
        detail::prune_builtin_fields(*kind, body);
        return {};
    }
    for (const auto& field : unknown) {
        if (field.starts_with("metadata."))
            object_member(body.get_object(), "metadata").erase(std::string_view(field).substr(9));
        else if (!info.custom) // Custom resources are pruned by their schema when they are stored.
            body.get_object().erase(field);
    }
    return {};
}

namespace {

std::optional<status_error> check_dry_run(const std::vector<std::string>& values, std::string_view kind)
{
    if (std::all_of(values.begin(), values.end(), [](const auto& v) { return v == "All"; })) return {};
    json::array shown_values;
    for (const auto& v : values) shown_values.push_back(json::value(std::string_view(v)));
    return errors::invalid_options(kind, {errors::not_supported("dryRun", to_text(shown_values), R"("All")")});
}

} // namespace

namespace {

constexpr std::size_t longest_manager = 128;

bool is_printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

/// The name of the program in a User-Agent, which ends at the first slash. Not longer than a manager may be, in whole
/// characters.
std::string program_of(std::string_view agent)
{
    const auto given = detail::valid_utf8(agent.substr(0, agent.find('/')));
    std::string program;
    for (std::size_t i = 0; i < given.size();) {
        std::size_t end = i + 1;
        while (end < given.size() && (static_cast<unsigned char>(given[end]) & 0xc0) == 0x80) ++end;
        if (program.size() + end - i > longest_manager) break;
        if (is_printable(given[i])) program.append(given, i, end - i);
        i = end;
    }
    return program;
}

/// The manager that a request names, or else the program that sends it, by the beginning of its User-Agent.
answer<std::string> read_manager(const exchange& x, std::string_view kind)
{
    const std::string given(x.target.value("fieldManager"));
    if (given.size() > longest_manager)
        return errors::invalid_options(kind, {errors::too_long("fieldManager", std::to_string(longest_manager))});
    const auto bad = std::find_if_not(given.begin(), given.end(), is_printable);
    if (bad != given.end())
        return errors::invalid_options(
            kind, {errors::invalid_value("fieldManager", quote(given),
                                         "invalid character U+00" + hex(std::string_view(&*bad, 1)) + " (at position " +
                                             std::to_string(bad - given.begin()) + ")")});
    if (!given.empty()) return detail::valid_utf8(given);
    auto program = program_of(x.request.header("user-agent"));
    return program.empty() ? "unknown" : program;
}

} // namespace

answer<write_flags> read_write_flags(exchange& x, std::string_view kind)
{
    const auto dry = x.target.values("dryRun");
    if (auto e = check_dry_run(dry, kind)) return *e;
    const auto mode = x.target.value("fieldValidation");
    if (!mode.empty() && mode != "Ignore" && mode != "Warn" && mode != "Strict")
        return errors::invalid_options(
            kind, {errors::not_supported("fieldValidation", quote(mode), R"("", "Ignore", "Strict", "Warn")")});
    auto manager = read_manager(x, kind);
    if (!manager) return manager.error();
    write_flags flags;
    flags.dry_run = !dry.empty();
    flags.manager = std::move(*manager);
    flags.conversions = x.request.conversions.get();
    flags.admission = write_checks(x, flags.dry_run);
    flags.scale_admission = scale_checks(x, flags.dry_run);
    flags.warn = [&x](const std::vector<std::string>& all) { warn_of(x, all); };
    return flags;
}

delete_request delete_options_of(const json::value& options)
{
    delete_request how;
    if (const auto* grace = find_at(options, "gracePeriodSeconds"); grace && grace->is_int64())
        how.grace_seconds = grace->get_int64();
    how.propagation = text_at(options, "propagationPolicy");
    const auto stated = [&](std::string_view path) {
        const auto* text = find_at(options, path);
        return text && text->is_string() ? std::optional<std::string>(text->get_string()) : std::nullopt;
    };
    how.uid = stated("preconditions.uid");
    how.resource_version = stated("preconditions.resourceVersion");
    const auto* dry = array_at(options, "dryRun");
    how.dry_run = dry && !dry->empty();
    return how;
}

namespace {

/// The body of a deletion. One that cannot be understood must not delete anything: it may hold conditions.
answer<json::value> read_delete_body(const exchange& x)
{
    if (!is_served_type(x, true)) return unsupported_type(x); // protobuf for custom resources too
    constexpr std::string_view own_kind = "DeleteOptions";
    auto body = read_document(x, "v1", own_kind);
    if (!body) return errors::bad_request(std::string(decoding(x)) + body.error());
    if (body->is_null()) body->emplace_object();
    if (!body->is_object())
        return errors::bad_request(std::string(decoding(x)) + "json: cannot unmarshal " + std::string(go_kind(*body)) +
                                   " into Go value of type struct");
    // The kind is registered in every group.
    const auto* kind = find_at(*body, "kind");
    if (kind && !kind->is_null() && scalar_text(*kind) != own_kind) {
        const auto version = text_at(*body, "apiVersion");
        return errors::bad_request("no kind " + quote(scalar_text(*kind)) + " is registered for version " +
                                   quote(version.empty() ? "v1" : version) +
                                   " in scheme \"pkg/runtime/scheme.go:111\"");
    }
    if (const auto problem = type_problem("v1", own_kind, *body); !problem.empty()) return errors::bad_request(problem);
    return std::move(*body);
}

/// Options as they were sent, whose values are not checked.
struct stated_options
{
    delete_request how;
    std::vector<std::string> dry_run = {};
    std::optional<bool> orphan = {};
    bool has_policy = false;
};

answer<stated_options> options_of_query(const parsed_target& target)
{
    stated_options out;
    const auto grace = int_parameter(target, "gracePeriodSeconds");
    if (!grace) return grace.error();
    out.how.grace_seconds = *grace;
    out.how.propagation = target.value("propagationPolicy");
    // Empty ones are none here, other than in a body.
    if (const auto uid = target.value("uid"); !uid.empty()) out.how.uid = uid;
    if (const auto version = target.value("resourceVersion"); !version.empty()) out.how.resource_version = version;
    out.dry_run = target.values("dryRun");
    if (target.has("orphanDependents")) out.orphan = target.flag("orphanDependents");
    out.has_policy = target.has("propagationPolicy");
    return out;
}

stated_options options_of_body(const json::value& body)
{
    stated_options out;
    out.how = delete_options_of(body);
    if (const auto* values = array_at(body, "dryRun"))
        for (const auto& v : *values) out.dry_run.push_back(scalar_text(v));
    if (const auto* flag = find_at(body, "orphanDependents"); flag && flag->is_bool()) out.orphan = flag->get_bool();
    const auto* policy = find_at(body, "propagationPolicy");
    out.has_policy = policy && policy->is_string();
    return out;
}

answer<delete_request> checked(stated_options stated)
{
    std::vector<status_cause> causes;
    const auto policy = quote(stated.how.propagation);
    if (stated.orphan && stated.has_policy)
        causes.push_back(errors::invalid_value("propagationPolicy", policy,
                                               "orphanDependents and deletionPropagation cannot be both set"));
    if (stated.has_policy && policy != R"("Foreground")" && policy != R"("Background")" && policy != R"("Orphan")")
        causes.push_back(
            errors::not_supported("propagationPolicy", policy, R"("Foreground", "Background", "Orphan", "nil")"));
    if (!causes.empty()) return errors::invalid_options("DeleteOptions", std::move(causes));
    if (auto e = check_dry_run(stated.dry_run, "DeleteOptions")) return *e;
    stated.how.dry_run = !stated.dry_run.empty();
    if (stated.orphan == true) stated.how.propagation = "Orphan";
    return stated.how;
}

} // namespace

answer<delete_request> read_delete_options(const exchange& x)
{
    if (x.request.body.empty()) {
        auto stated = options_of_query(x.target);
        return stated ? checked(std::move(*stated)) : answer<delete_request>(stated.error());
    }
    const auto body = read_delete_body(x);
    if (!body) return body.error();
    return checked(options_of_body(*body));
}

} // namespace kubecoro::apiserver
