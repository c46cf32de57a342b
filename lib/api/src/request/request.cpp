#include <kubecoro/api/request.hpp>

#include <kubecoro/api/detail/schema.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <optional>

namespace kubecoro {
namespace {

constexpr std::string_view json_type = "application/json";
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
    return detail::builtin_schemas::find_resource(version, r.plural) != nullptr;
}

bool is_unreserved(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~';
}

void append_percent(std::string& out, char c)
{
    static constexpr char hex[] = "0123456789ABCDEF";
    const auto u = static_cast<unsigned char>(c);
    out += '%';
    out += hex[u >> 4];
    out += hex[u & 15];
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

// Query parameters; callers add them in alphabetical order, so that equal requests have equal text.
class query
{
public:
    query& add(std::string_view name, std::string_view value)
    {
        text_ += text_.empty() ? '?' : '&';
        text_ += name;
        text_ += '=';
        text_ += encode_query_value(value);
        return *this;
    }
    query& add_unless_empty(std::string_view name, std::string_view value)
    {
        return value.empty() ? *this : add(name, value);
    }
    query& add_if(bool wanted, std::string_view name, std::string_view value)
    {
        return wanted ? add(name, value) : *this;
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

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

std::string_view text_of(field_validation validation) noexcept
{
    switch (validation) {
    case field_validation::ignore:
        return "Ignore";
    case field_validation::warn:
        return "Warn";
    case field_validation::strict:
        return "Strict";
    case field_validation::unset:
        break;
    }
    return {};
}

std::string_view text_of(deletion_propagation propagation) noexcept
{
    switch (propagation) {
    case deletion_propagation::orphan:
        return "Orphan";
    case deletion_propagation::background:
        return "Background";
    case deletion_propagation::foreground:
        return "Foreground";
    case deletion_propagation::unset:
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

query write_query(const write_options& o, bool force = false)
{
    query q;
    q.add_if(o.dry_run, "dryRun", "All")
        .add_unless_empty("fieldManager", o.field_manager)
        .add_unless_empty("fieldValidation", text_of(o.validation))
        .add_if(force, "force", "true");
    return q;
}

// On the server, a body takes precedence over the query, so all options go into the body.
std::string delete_body(const delete_options& o)
{
    if (o == delete_options{}) return {};
    boost::json::object body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    if (o.grace_period) body["gracePeriodSeconds"] = o.grace_period->count();
    boost::json::object preconditions;
    if (!o.uid.empty()) preconditions["uid"] = o.uid;
    if (!o.resource_version.empty()) preconditions["resourceVersion"] = o.resource_version;
    if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
    if (o.propagation != deletion_propagation::unset) body["propagationPolicy"] = text_of(o.propagation);
    if (o.dry_run) body["dryRun"] = boost::json::array({"All"});
    return boost::json::serialize(body);
}

request make(std::string method, std::string target)
{
    request r;
    r.method = std::move(method);
    r.target = std::move(target);
    return r;
}

request make(std::string method, std::string target, std::string_view content_type, std::string body)
{
    request r = make(std::move(method), std::move(target));
    r.content_type = content_type;
    r.body = std::move(body);
    return r;
}

} // namespace

std::string encode_query_value(std::string_view text)
{
    std::string out;
    for (char c : text) {
        if (is_unreserved(c))
            out += c;
        else if (c == ' ')
            out += '+';
        else
            append_percent(out, c);
    }
    return out;
}

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

result<request> request_builder::list(const list_options& o) const
{
    if (!o.continue_token.empty() && (!o.resource_version.empty() || o.match != version_match::unset))
        return failure(cond::invalid, "a continue token cannot be combined with a resource version or a match");
    auto path = collection_path(false);
    if (!path) return path.error();
    query q;
    q.add_unless_empty("continue", o.continue_token)
        .add_unless_empty("fieldSelector", o.field_selector)
        .add_unless_empty("labelSelector", o.label_selector)
        .add_if(o.limit != 0, "limit", std::to_string(o.limit))
        .add_unless_empty("resourceVersion", o.resource_version)
        .add_unless_empty("resourceVersionMatch", text_of(o.match))
        .add_unless_empty("shardSelector", o.shard_selector);
    request r = make("GET", *path + q.text());
    r.accept = read_accept(o.metadata_only ? metadata_list : std::string_view{});
    return r;
}

result<request> request_builder::watch(const watch_options& o) const
{
    auto path = collection_path(false);
    if (!path) return path.error();
    query q;
    q.add_if(o.allow_bookmarks, "allowWatchBookmarks", "true")
        .add_unless_empty("fieldSelector", o.field_selector)
        .add_unless_empty("labelSelector", o.label_selector)
        .add_unless_empty("resourceVersion", o.resource_version)
        .add_unless_empty("resourceVersionMatch", text_of(o.match))
        .add_if(o.send_initial_events.has_value(), "sendInitialEvents",
                o.send_initial_events.value_or(false) ? "true" : "false")
        .add_unless_empty("shardSelector", o.shard_selector)
        .add_if(o.timeout.count() > 0, "timeoutSeconds", std::to_string(o.timeout.count()))
        .add("watch", "true");
    request r = make("GET", *path + q.text());
    r.accept = read_accept(o.metadata_only ? metadata_of_one : std::string_view{});
    return r;
}

result<request> request_builder::get(std::string_view name, std::string_view subresource) const
{
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    request r = make("GET", std::move(*path));
    r.accept = read_accept({});
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

result<request> request_builder::create(std::string body, const write_options& o) const
{
    auto path = collection_path(true);
    if (!path) return path.error();
    return make("POST", *path + write_query(o).text(), json_type, std::move(body));
}

result<request> request_builder::update(std::string_view name, std::string body, const write_options& o,
                                        std::string_view subresource) const
{
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return make("PUT", *path + write_query(o).text(), json_type, std::move(body));
}

result<request> request_builder::patch(std::string_view name, patch_kind kind, std::string body, const patch_options& o,
                                       std::string_view subresource) const
{
    if (o.force && kind != patch_kind::apply)
        return failure(cond::invalid, "force is only valid for server-side apply");
    if (kind == patch_kind::apply && o.write.field_manager.empty())
        return failure(cond::invalid, "server-side apply requires a field manager");
    auto path = object_path(name, subresource);
    if (!path) return path.error();
    return make("PATCH", *path + write_query(o.write, o.force).text(), content_type_of(kind), std::move(body));
}

result<request> request_builder::remove(std::string_view name, const delete_options& o) const
{
    auto path = object_path(name, {});
    if (!path) return path.error();
    std::string body = delete_body(o);
    const std::string_view type = body.empty() ? std::string_view{} : json_type;
    return make("DELETE", std::move(*path), type, std::move(body));
}

} // namespace kubecoro
