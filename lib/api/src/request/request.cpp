#include <kubecoro/api/request.hpp>

#include "request/query.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/detail/time_text.hpp>

#include <optional>

namespace kubecoro {

using namespace detail;

namespace {

constexpr std::string_view protobuf_type = "application/vnd.kubernetes.protobuf";
constexpr std::string_view metadata_list = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
constexpr std::string_view metadata_of_one = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/// The forms of one representation, best first.
std::string forms(std::string_view representation, bool protobuf)
{
    std::string out;
    if (protobuf) out.append(protobuf_type).append(representation).append(",");
    return out.append(json_type).append(representation);
}

bool has_schema(const resource_type& r)
{
    const auto version = r.api_version();
    return builtin_schemas::find_resource(version, r.plural) != nullptr;
}

// Keeps the characters that a path segment may contain unescaped: RBAC names contain colons.
std::string encode_segment(std::string_view text)
{
    std::string out;
    for (char c : text) {
        if (is_unreserved(c) || std::string_view("!$&'()*+,;=:@").find(c) != std::string_view::npos)
            out += c;
        else
            append_percent(out, c);
    }
    return out;
}

// Checks a path segment: nothing if `text` is valid, else the reason.
std::optional<failure> refuse_segment(std::string_view what, std::string_view text)
{
    const std::string shown = std::string(what) + " \"" + std::string(text) + "\"";
    if (text.empty()) return failure(cond::invalid, std::string(what) + " is empty");
    if (text == "." || text == "..") return failure(cond::invalid, shown + " is not allowed in a path");
    if (text.find_first_of("/%") != std::string_view::npos)
        return failure(cond::invalid, shown + " contains '/' or '%'");
    return std::nullopt;
}

std::string_view text_of(version_match match) noexcept
{
    switch (match) {
    case version_match::exact:
        return "Exact";
    case version_match::not_older_than:
        return "NotOlderThan";
    case version_match::unset:
        break;
    }
    return {};
}

std::string_view content_type_of(patch_kind kind) noexcept
{
    switch (kind) {
    case patch_kind::json:
        return "application/json-patch+json";
    case patch_kind::merge:
        return "application/merge-patch+json";
    case patch_kind::strategic_merge:
        return "application/strategic-merge-patch+json";
    case patch_kind::apply:
        break;
    }
    return "application/apply-patch+yaml";
}

} // namespace

request_builder::request_builder(resource_type resource, std::string ns, wire_form form)
    : resource_(std::move(resource)), ns_(std::move(ns)), form_(form)
{
}

result<std::string> request_builder::collection_path(bool for_create) const
{
    std::string path = resource_.path_prefix();
    if (auto bad = refuse_segment("resource", resource_.plural)) return *bad;
    if (resource_.namespaced && (for_create || !ns_.empty())) {
        if (auto bad = refuse_segment("namespace of " + resource_.display_name(), ns_)) return *bad;
        path += "/namespaces/" + encode_segment(ns_);
    }
    return path + "/" + encode_segment(resource_.plural);
}

result<std::string> request_builder::object_path(std::string_view name, std::string_view subresource) const
{
    auto path = collection_path(true);
    if (!path) return path;
    if (auto bad = refuse_segment("name of " + resource_.display_name(), name)) return *bad;
    *path += "/" + encode_segment(name);
    if (subresource.empty()) return path;
    if (auto bad = refuse_segment("subresource", subresource)) return *bad;
    *path += "/" + encode_segment(subresource);
    return path;
}

namespace {

std::string_view text_of(table_object with) noexcept
{
    switch (with) {
    case table_object::whole:
        return "Object";
    case table_object::none:
        return "None";
    case table_object::metadata:
        break;
    }
    return {};
}

// A server without tables answers with the objects themselves.
std::string table_accept()
{
    const std::string json(json_type);
    return json + ";as=Table;g=meta.k8s.io;v=v1," + json + ";as=Table;g=meta.k8s.io;v=v1beta1," + json;
}

} // namespace

result<std::string> request_builder::list_target(const list_options& o, bool for_removal, table_object with) const
{
    if (!o.continue_token.empty() && (!o.resource_version.empty() || o.match != version_match::unset))
        return failure(cond::invalid, "a continue token cannot be combined with a resource version or a match");
    auto path = collection_path(for_removal);
    if (!path) return path.error();
    query q;
    q.add_unless_empty("continue", o.continue_token)
        .add_unless_empty("fieldSelector", o.field_selector)
        .add_unless_empty("includeObject", text_of(with))
        .add_unless_empty("labelSelector", o.label_selector)
        .add_if(o.limit != 0, "limit", std::to_string(o.limit))
        .add_unless_empty("resourceVersion", o.resource_version)
        .add_unless_empty("resourceVersionMatch", text_of(o.match))
        .add_unless_empty("shardSelector", o.shard_selector);
    return *path + q.text();
}

result<request> request_builder::list(const list_options& o) const
{
    auto target = list_target(o, false, table_object::metadata);
    if (!target) return target.error();
    request r = make_request("GET", std::move(*target));
    r.accept = read_accept(o.metadata_only ? metadata_list : std::string_view{});
    return r;
}

result<request> request_builder::list_table(const list_options& o, table_object with) const
{
    auto target = list_target(o, false, with);
    if (!target) return target.error();
    request r = make_request("GET", std::move(*target));
    r.accept = table_accept();
    return r;
}

result<request> request_builder::get_table(std::string_view name, table_object with) const
{
    auto path = object_path(name, {});
    if (!path) return path.error();
    query q;
    q.add_unless_empty("includeObject", text_of(with));
    request r = make_request("GET", *path + q.text());
    r.accept = table_accept();
    return r;
}

result<std::string> request_builder::watch_target(const watch_options& o, table_object with) const
{
    auto path = collection_path(false);
    if (!path) return path.error();
    query q;
    q.add_if(o.allow_bookmarks, "allowWatchBookmarks", "true")
        .add_unless_empty("fieldSelector", o.field_selector)
        .add_unless_empty("includeObject", text_of(with))
        .add_unless_empty("labelSelector", o.label_selector)
        .add_unless_empty("resourceVersion", o.resource_version)
        .add_unless_empty("resourceVersionMatch", text_of(o.match))
        .add_if(o.send_initial_events.has_value(), "sendInitialEvents",
                o.send_initial_events.value_or(false) ? "true" : "false")
        .add_unless_empty("shardSelector", o.shard_selector)
        .add_if(o.timeout.count() > 0, "timeoutSeconds", std::to_string(o.timeout.count()))
        .add("watch", "true");
    return *path + q.text();
}

result<request> request_builder::watch(const watch_options& o) const
{
    auto target = watch_target(o, table_object::metadata);
    if (!target) return target.error();
    request r = make_request("GET", std::move(*target));
    r.accept = read_accept(o.metadata_only ? metadata_of_one : std::string_view{});
    return r;
}

result<request> request_builder::watch_table(const watch_options& o, table_object with) const
{
    auto target = watch_target(o, with);
    if (!target) return target.error();
    request r = make_request("GET", std::move(*target));
    r.accept = table_accept();
    return r;
}

result<request> request_builder::get(std::string_view name, std::string_view subresource) const
{
    return get(name, get_options{}, subresource);
}

result<request> request_builder::get(std::string_view name, const get_options& o, std::string_view subresource) const
{
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    query q;
    q.add_unless_empty("resourceVersion", o.resource_version);
    request r = make_request("GET", *path + q.text());
    r.accept = read_accept(o.metadata_only ? metadata_of_one : std::string_view{});
    return r;
}

namespace {

std::optional<failure> refuse_log_options(const log_options& o)
{
    if (o.since && !o.since_time.empty())
        return failure(cond::invalid, "a log has either a greatest age or a time of its first line, not both");
    if (o.since && o.since->count() < 1) return failure(cond::invalid, "the greatest age of log lines is at least 1 s");
    if (!o.since_time.empty() && !read_time(o.since_time))
        return failure(cond::invalid,
                       "the time of the first log line is not in RFC 3339, such as 2026-11-21T06:09:05Z");
    if (o.limit_bytes && *o.limit_bytes == 0) return failure(cond::invalid, "the limit of a log is at least 1 byte");
    if (o.max_line_bytes < 4) return failure(cond::invalid, "the limit of a log line is at least 4 bytes");
    return std::nullopt;
}

} // namespace

result<request> request_builder::log(std::string_view name, const log_options& o) const
{
    if (auto bad = refuse_log_options(o)) return *bad;
    auto path = object_path(name, "log");
    if (!path) return path.error();
    query q;
    q.add_unless_empty("container", o.container)
        .add_if(o.follow, "follow", "true")
        .add_if(o.limit_bytes.has_value(), "limitBytes", std::to_string(o.limit_bytes.value_or(0)))
        .add_if(o.previous, "previous", "true")
        .add_if(o.since.has_value(), "sinceSeconds", std::to_string(o.since.value_or(std::chrono::seconds{0}).count()))
        .add_unless_empty("sinceTime", o.since_time)
        .add_unless_empty("stream", o.stream)
        .add_if(o.tail_lines.has_value(), "tailLines", std::to_string(o.tail_lines.value_or(0)))
        .add_if(o.timestamps, "timestamps", "true");
    request r = make_request("GET", *path + q.text());
    // The log is plain text; a refusal is JSON.
    r.accept = "text/plain,application/json,*/*";
    return r;
}

std::string request_builder::read_accept(std::string_view metadata) const
{
    const bool protobuf = form_ == wire_form::protobuf && (!metadata.empty() || has_schema(resource_));
    // Servers use the first form they support; plain JSON is for servers without the transformation.
    return metadata.empty() ? forms({}, protobuf) : forms(metadata, protobuf) + "," + std::string(json_type);
}

bool accepts_protobuf(const request& r) noexcept { return r.accept.starts_with(protobuf_type); }

void accept_json_only(request& r)
{
    // A request that accepts protobuf names it first, and JSON in the same representation second.
    if (accepts_protobuf(r)) r.accept.erase(0, r.accept.find(',') + 1);
}

namespace {

failure forced() { return failure(cond::invalid, "force is only valid for server-side apply"); }

} // namespace

result<request> request_builder::create(std::string body, const write_options& o) const
{
    if (o.force) return forced();
    auto path = collection_path(true);
    if (!path) return path.error();
    return make_request("POST", *path + write_query(o).text(), json_type, std::move(body));
}

result<request> request_builder::create_subresource(std::string_view name, std::string_view subresource,
                                                    std::string body, const write_options& o) const
{
    if (o.force) return forced();
    if (subresource.empty()) return failure(cond::invalid, "the name of the subresource is empty");
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return make_request("POST", *path + write_query(o).text(), json_type, std::move(body));
}

result<request> request_builder::update(std::string_view name, std::string body, const write_options& o,
                                        std::string_view subresource) const
{
    if (o.force) return forced();
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return make_request("PUT", *path + write_query(o).text(), json_type, std::move(body));
}

result<request> request_builder::patch(std::string_view name, patch_kind kind, std::string body, const write_options& o,
                                       std::string_view subresource) const
{
    if (o.force && kind != patch_kind::apply) return forced();
    if (kind == patch_kind::apply && o.field_manager.empty())
        return failure(cond::invalid, "server-side apply requires a field manager");
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return make_request("PATCH", *path + write_query(o).text(), content_type_of(kind), std::move(body));
}

namespace {

request removal(std::string target, const delete_options& o)
{
    std::string body = delete_options_text(o);
    const std::string_view type = body.empty() ? std::string_view{} : json_type;
    return make_request("DELETE", std::move(target), type, std::move(body));
}

} // namespace

result<request> request_builder::remove(std::string_view name, const delete_options& o,
                                        std::string_view subresource) const
{
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return removal(std::move(*path), o);
}

result<request> request_builder::remove_collection(const list_options& which, const delete_options& o) const
{
    auto target = list_target(which, true, table_object::metadata);
    if (!target) return target.error();
    return removal(std::move(*target), o);
}

} // namespace kubecoro
