#include "objects/stored_object.hpp"

#include "objects/finalizers.hpp"
#include "text/base64.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace kubecoro::apiserver {

std::string storage_key(std::string_view ns, std::string_view name)
{
    std::string key = "/";
    if (!ns.empty()) {
        key += ns;
        key += '/';
    }
    key += name;
    return key;
}

namespace {

bool is_empty(const json::value& v)
{
    return v.is_null() || (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty()) ||
           (v.is_string() && v.get_string().empty()) || (v.is_int64() && v.get_int64() == 0);
}

void move_member(json::object& from, json::object& to, std::string_view key)
{
    const auto it = from.find(key);
    if (it == from.end()) return;
    to.emplace(key, std::move(it->value()));
    from.erase(it);
}

void normalise_metadata(json::object& metadata)
{
    json::object ordered;
    for (const std::string_view key : metadata_members) {
        const auto it = metadata.find(key);
        if (it == metadata.end()) continue;
        // Empty members are omitted, except a grace period of 0.
        if (is_empty(it->value()) && (key != "deletionGracePeriodSeconds" || it->value().is_null())) continue;
        ordered.emplace(key, std::move(it->value()));
    }
    for (const std::string_view key : {"labels", "annotations"})
        if (auto* member = ordered.if_contains(key); member && member->is_object()) sort_members(member->get_object());
    metadata = std::move(ordered);
}

std::string field_of(const resource_info& info, const json::value& body, std::string_view path)
{
    const auto* found = find_at(body, path);
    // Some fields of built-in kinds have a default value or another form for selectors.
    if (info.custom) return found ? scalar_text(*found) : std::string{};
    if (path == "source") { // Events: the component, in the old or the new field.
        const auto component = text_at(body, "source.component");
        return std::string(component.empty() ? text_at(body, "reportingComponent") : component);
    }
    if (path == "status.successful") return std::to_string(int_at(body, "status.succeeded"));
    if (path == "spec.unschedulable" || path == "spec.hostNetwork")
        return found && found->is_bool() && found->get_bool() ? "true" : "false";
    if (path == "status.podIPs") {
        const auto* ips = array_at(body, path);
        return ips && !ips->empty() ? std::string(text_at(ips->front(), "ip")) : std::string{};
    }
    if (path == "status.replicas") return std::to_string(int_at(body, path));
    return found ? scalar_text(*found) : std::string{};
}

void append_metadata(stored_object& o, const json::object& metadata, std::uint64_t version)
{
    char separator = '{';
    const auto write_version = [&] {
        if (version == 0) return;
        o.text += separator;
        o.text += R"("resourceVersion":")";
        o.version_at = o.text.size();
        const auto digits = std::to_string(version);
        o.version_length = digits.size();
        o.text += digits;
        o.text += '"';
        separator = ',';
    };
    for (const auto& [key, member] : metadata) {
        if (key == "resourceVersion") {
            write_version();
            continue;
        }
        o.text += separator;
        append_quoted(o.text, key);
        o.text += ':';
        append_json(o.text, member);
        separator = ',';
    }
    o.text += separator == '{' ? "{}" : "}";
}

} // namespace

void normalise(const resource_info& info, json::value& body)
{
    auto& object = body.get_object();
    auto& metadata = object_member(object, "metadata");
    default_member(metadata, "resourceVersion", "0");
    normalise_metadata(metadata);
    if (info.custom) {
        sort_deep(body);
        return;
    }
    json::object ordered;
    move_member(object, ordered, "metadata");
    for (const auto& member : info.members) {
        const auto it = object.find(member);
        if (it == object.end()) continue;
        if (it->value().is_null() || (is_empty(it->value()) && member != "spec" && member != "status")) continue;
        ordered.emplace(member, std::move(it->value()));
    }
    for (const std::string_view key : {"data", "binaryData"})
        if (auto* member = ordered.if_contains(key); member && member->is_object()) sort_members(member->get_object());
    object = std::move(ordered);
}

void settle(const resource_info& info, json::value& body)
{
    normalise(info, body);
    take_go_form(info, body);
}

namespace {

void take_fields(const stored_object& o, const resource_info& info, const json::value& body)
{
    std::vector<std::string> fields;
    fields.reserve(info.selectable.size());
    for (const auto& path : info.selectable) fields.push_back(field_of(info, body, path));
    o.fields = std::move(fields);
    o.fields_revision = info.selectable_revision;
}

std::vector<owner_link> owners_of(const json::value& body)
{
    std::map<std::string_view, bool> blocks;
    if (const auto* references = array_at(body, "metadata.ownerReferences"))
        for (const auto& reference : *references) {
            const auto* flag = find_at(reference, "blockOwnerDeletion");
            blocks[text_at(reference, "uid")] |= flag && flag->is_bool() && flag->get_bool();
        }
    std::vector<owner_link> out;
    out.reserve(blocks.size());
    for (const auto& [uid, blocking] : blocks) out.push_back({std::string(uid), blocking});
    return out;
}

} // namespace

std::string_view own_version(const resource_info& info, const stored_object& object)
{
    if (info.conversion)
        for (const auto& [name, schema] : info.schemas)
            if (object.text.starts_with(info.type_prefix(name))) return name;
    return info.storage_version;
}

namespace {

std::string_view stated_version(const resource_info& info, const json::value& body)
{
    const auto stated = info.conversion ? text_at(body, "apiVersion") : std::string_view();
    for (const auto& [name, schema] : info.schemas)
        if (!stated.empty() && stated == info.api_version(name)) return name;
    return info.storage_version;
}

} // namespace

stored make_stored(const resource_info& info, const json::value& body, std::uint64_t version)
{
    auto o = std::make_shared<stored_object>();
    o->ns = text_at(body, "metadata.namespace");
    o->name = text_at(body, "metadata.name");
    o->uid = text_at(body, "metadata.uid");
    o->key = storage_key(o->ns, o->name);
    o->version = version;
    o->deleting = find_at(body, "metadata.deletionTimestamp") != nullptr;
    o->orphans_dependents = o->deleting && has_finalizer(body, orphan_finalizer);
    o->deletes_dependents = o->deleting && has_finalizer(body, foreground_finalizer);
    o->owners = owners_of(body);
    if (const auto* labels = object_at(body, "metadata.labels")) {
        for (const auto& [key, value] : *labels)
            if (value.is_string()) o->labels.emplace_back(key, std::string(value.get_string()));
        std::sort(o->labels.begin(), o->labels.end());
    }
    take_fields(*o, info, body);

    o->text = info.type_prefix(stated_version(info, body));
    o->prefix = o->text.size();
    char separator = 0;
    for (const auto& [key, member] : body.get_object()) {
        if (key == "kind" || key == "apiVersion") continue;
        if (separator) o->text += separator;
        separator = ',';
        append_quoted(o->text, key);
        o->text += ':';
        if (key == "metadata" && member.is_object())
            append_metadata(*o, member.get_object(), version);
        else
            append_json(o->text, member);
    }
    o->text += '}';
    return o;
}

const std::vector<std::string>& fields_of(const resource_info& info, const stored_object& object)
{
    if (object.fields_revision != info.selectable_revision) take_fields(object, info, to_json(object));
    return object.fields;
}

stored with_version(const stored& object, std::uint64_t version)
{
    auto copy = std::make_shared<stored_object>(*object);
    const auto digits = std::to_string(version);
    copy->version = version;
    if (copy->version_at) copy->text.replace(copy->version_at, copy->version_length, digits);
    copy->version_length = digits.size();
    copy->message_size = 0;
    return copy;
}

json::value to_json(const stored_object& object) { return parse_trusted(object.text); }

void take_version(const resource_info& info, std::string_view version, json::value& body)
{
    const auto* schema = info.prunes_versions ? info.schema_of(version) : nullptr;
    if (!schema) return;
    schema->prune(body);
    schema->drop_nulls(body);
}

json::value to_json(const resource_info& info, const stored_object& object, std::string_view version)
{
    auto body = to_json(object);
    if (version != info.storage_version) take_version(info, version, body);
    return body;
}

void append_object(std::string& out, const resource_info& info, const stored_object& object, std::string_view version,
                   bool list_item)
{
    const std::string_view text = object.text;
    if (list_item && !info.custom) {
        out += '{';
        out += text.substr(object.prefix);
        return;
    }
    const auto prefix = info.type_prefix(version);
    if (text.starts_with(prefix)) {
        out += text;
    } else if (info.prunes_versions) {
        auto body = to_json(info, object, version);
        body.get_object()["apiVersion"] = info.api_version(version);
        append_json(out, body);
    } else {
        out += prefix;
        out += text.substr(object.prefix);
    }
}

namespace {

void take(json::value& target, json::value form);

void take_members(json::object& target, json::object form)
{
    json::object ordered;
    for (auto& [key, value] : target) {
        const auto it = form.find(key);
        if (it == form.end()) continue;
        take(value, std::move(it->value()));
        ordered.emplace(key, std::move(value));
        form.erase(it);
    }
    for (auto& [key, value] : form) ordered.emplace(key, std::move(value));
    target = std::move(ordered);
}

/// Gives `target` the content of `form`; members of objects keep their order.
void take(json::value& target, json::value form)
{
    if (target.is_object() && form.is_object()) return take_members(target.get_object(), std::move(form.get_object()));
    if (!target.is_array() || !form.is_array() || target.get_array().size() != form.get_array().size()) {
        target = std::move(form);
        return;
    }
    for (std::size_t i = 0; i < target.get_array().size(); ++i)
        take(target.get_array()[i], std::move(form.get_array()[i]));
}

} // namespace

void take_go_form(const resource_info& info, json::value& body)
{
    const auto version = info.api_version(info.storage_version);
    const auto* kind = info.custom ? nullptr : detail::builtin_schemas::find(version, info.kind);
    if (!kind || !body.is_object()) return;
    const auto message = detail::protobuf_message(*kind, body.get_object());
    if (!message) return;
    const decode_limits unlimited{.max_object_bytes = std::numeric_limits<std::int32_t>::max(), .max_depth = 512};
    const auto object = detail::decode_protobuf_body(detail::protobuf_envelope(version, info.kind, *message), version,
                                                     info.kind, unlimited);
    if (!object) return;
    auto form = object->to_json();
    for (const std::string_view key : {"kind", "apiVersion"}) form.get_object().erase(key);
    take(body, std::move(form));
}

namespace {

std::size_t binary_size(const json::value& v)
{
    std::size_t size = 4;
    if (v.is_string()) size += v.get_string().size();
    if (const auto* array = v.if_array())
        for (const auto& item : *array) size += binary_size(item);
    if (const auto* object = v.if_object())
        for (const auto& member : *object) size += member.key().size() + binary_size(member.value());
    return size;
}

} // namespace

std::size_t stored_size(const resource_info& info, const json::value& body)
{
    if (info.custom) return to_text(body).size();
    std::size_t size = binary_size(body);
    const bool secret = info.behaves == builtin::secret;
    if (const auto* binary = object_at(body, secret ? "data" : "binaryData"))
        for (const auto& member : *binary)
            if (member.value().is_string()) {
                const std::string_view text = member.value().get_string();
                size -= text.size() - decoded_base64_size(text);
            }
    return size;
}

} // namespace kubecoro::apiserver
