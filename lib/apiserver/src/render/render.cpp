#include "render/render.hpp"

#include "objects/status_errors.hpp"
#include "render/table.hpp"
#include "text/json_text.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/yaml.hpp>

namespace kubecoro::apiserver {

answer<std::string> protobuf_object(std::string_view json)
{
    auto encoded = detail::to_protobuf(parse_trusted(json));
    if (!encoded) return errors::internal("object not convertible to protobuf: " + encoded.error().message());
    return std::move(*encoded);
}

namespace {

/// Returns a frame of a watch. An object without a protobuf form becomes an ERROR event that says so.
std::string protobuf_event(std::string_view type, std::string_view json)
{
    const auto object = protobuf_object(json);
    if (object) return detail::protobuf_frame(type, *object);
    // A Status can always be encoded.
    return detail::protobuf_frame("ERROR", *protobuf_object(status_text(object.error())));
}

} // namespace

answer<std::string> protobuf_item(const detail::schema_kind& kind, const stored_object& object)
{
    const auto body = to_json(object);
    auto message = detail::protobuf_message(kind, body.get_object());
    if (!message)
        return errors::internal("object " + object.key + " not convertible to protobuf: " + message.error().message());
    return std::move(*message);
}

namespace {

json::value sorted(std::string_view text)
{
    auto v = parse_trusted(text);
    sort_deep(v);
    return v;
}

/// Appends nothing if there are no members: `{}` may stand only where a whole object does.
void append_members(std::string& out, const json::object& members)
{
    if (!members.empty()) out += to_yaml(members);
}

} // namespace

std::string yaml_object(std::string_view json) { return to_yaml(sorted(json)); }

yaml_list::yaml_list(std::string_view json, std::string_view items) : items_(items)
{
    auto all = sorted(json);
    for (auto& [key, value] : all.get_object())
        if (key != items) (std::string_view(key) < items ? before_ : after_)[key] = std::move(value);
}

void yaml_list::append_head(std::string& out) const
{
    append_members(out, before_);
    out += items_ + ":";
}

void yaml_list::append_item(std::string& out, std::string_view json)
{
    if (empty_) out += '\n';
    empty_ = false;
    out += to_yaml(json::array{sorted(json)});
}

void yaml_list::append_tail(std::string& out) const
{
    if (empty_) out += " []\n";
    append_members(out, after_);
}

namespace {

constexpr std::string_view partial_type = R"("kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)";

std::string event(std::string_view type, std::string_view object, answer_form form)
{
    if (form == answer_form::protobuf) return protobuf_event(type, object);
    std::string out;
    out.reserve(object.size() + type.size() + 24);
    out += R"({"type":")";
    out += type;
    out += R"(","object":)";
    out += object;
    out += "}\n";
    return out;
}

} // namespace

std::string list_metadata(const list_page& page, bool custom)
{
    std::string out;
    // As in kube-apiserver: custom lists are maps with sorted keys and always have `continue`; other lists are structs.
    if (custom) {
        out = R"({"continue":)" + quote(page.continue_token);
        if (page.remaining) out += R"(,"remainingItemCount":)" + std::to_string(*page.remaining);
        return out + R"(,"resourceVersion":")" + std::to_string(page.version) + "\"}";
    }
    out = R"({"resourceVersion":")" + std::to_string(page.version) + '"';
    if (!page.continue_token.empty()) out += R"(,"continue":)" + quote(page.continue_token);
    if (page.remaining) out += R"(,"remainingItemCount":)" + std::to_string(*page.remaining);
    return out + "}";
}

std::string partial_metadata(const stored_object& object, bool typed)
{
    const auto body = to_json(object);
    std::string out = "{";
    if (typed) out += partial_type;
    out += R"("metadata":)";
    append_json(out, body.at("metadata"));
    return out + "}";
}

std::string render_object(const resource_info& info, const stored& object, const rendering& r, wall_time now)
{
    std::string out;
    switch (r.as) {
    case representation::table: {
        const auto metadata = R"({"resourceVersion":")" + std::to_string(object->version) + "\"}";
        return make_table(info, object, r, metadata, true, now);
    }
    case representation::partial:
    case representation::partial_list:
        return partial_metadata(*object);
    default:
        append_object(out, info, *object, r.version);
        return out;
    }
}

list_renderer::list_renderer(const resource_info& info, const list_page& page, rendering form, wall_time now)
    : info_(info), page_(page), form_(std::move(form)), now_(now), columns_(table_columns(info, form_.version))
{
}

void list_renderer::append_head(std::string& out) const
{
    switch (form_.as) {
    case representation::table:
        append_table_head(out, form_, list_metadata(page_, false), &columns_);
        return;
    case representation::partial_list:
        out += R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)" +
               list_metadata(page_, false);
        break;
    default:
        if (custom())
            out += R"({"apiVersion":")" + info_.api_version(form_.version) + '"';
        else
            out += R"({"kind":")" + info_.list_kind + R"(","apiVersion":")" + info_.api_version(form_.version) +
                   R"(","metadata":)" + list_metadata(page_, false);
    }
    out += R"(,"items":[)";
}

void list_renderer::append_item(std::string& out, const stored& item) const
{
    if (form_.as == representation::table)
        append_table_row(out, info_, *item, form_, columns_, now_);
    else if (form_.as == representation::partial_list)
        out += partial_metadata(*item);
    else
        append_object(out, info_, *item, form_.version, true);
}

void list_renderer::append_tail(std::string& out) const
{
    out += ']';
    if (custom()) out += R"(,"kind":")" + info_.list_kind + R"(","metadata":)" + list_metadata(page_, true);
    out += '}';
}

std::string render_event(const resource_info& info, std::string_view type, const stored& object, const rendering& r,
                         bool columns, wall_time now)
{
    switch (r.as) {
    case representation::table: {
        const auto metadata = R"({"resourceVersion":")" + std::to_string(object->version) + "\"}";
        return event(type, make_table(info, object, r, metadata, columns, now), r.form);
    }
    case representation::partial:
    case representation::partial_list:
        return event(type, partial_metadata(*object), r.form);
    default: {
        std::string text;
        append_object(text, info, *object, r.version);
        return event(type, text, r.form);
    }
    }
}

std::string render_bookmark(const resource_info& info, std::uint64_t version, bool initial_end, const rendering& r,
                            bool columns)
{
    const auto number = R"("resourceVersion":")" + std::to_string(version) + '"';
    const std::string_view mark = R"("annotations":{"k8s.io/initial-events-end":"true"})";
    std::string metadata = "{";
    const bool custom = info.custom && r.as == representation::json;
    if (custom && initial_end) metadata += std::string(mark) + ',';
    metadata += number;
    if (!custom && initial_end) metadata += ',' + std::string(mark);
    metadata += '}';
    if (r.as == representation::table)
        return event("BOOKMARK", make_bookmark_table(info, r, "{" + number + "}", metadata, columns), r.form);
    std::string object;
    if (r.as == representation::json)
        object = info.type_prefix(r.version);
    else
        object = "{" + std::string(partial_type);
    object += R"("metadata":)" + metadata;
    // kube-apiserver writes the non-omitted zero values of the Go struct.
    if (r.as == representation::json && info.behaves == builtin::pod)
        object += R"(,"spec":{"containers":null},"status":{})";
    if (r.as == representation::json && info.behaves == builtin::deployment)
        object += R"(,"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},)"
                  R"("strategy":{}},"status":{})";
    return event("BOOKMARK", object + "}", r.form);
}

std::string render_error_event(std::string_view status, answer_form form) { return event("ERROR", status, form); }

} // namespace kubecoro::apiserver
