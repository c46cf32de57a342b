#include "render.hpp"

#include "json_text.hpp"
#include "table.hpp"

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view partial_type = R"("kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)";

std::string list_metadata(const list_page& page, bool custom)
{
    std::string out;
    // Maps are sorted, structs are not; an unpaged custom list shows an empty continue.
    if (custom) {
        out = R"({"continue":)" + quoted(page.continue_token);
        if (page.remaining) out += R"(,"remainingItemCount":)" + std::to_string(*page.remaining);
        return out + R"(,"resourceVersion":")" + std::to_string(page.version) + "\"}";
    }
    out = R"({"resourceVersion":")" + std::to_string(page.version) + '"';
    if (!page.continue_token.empty()) out += R"(,"continue":)" + quoted(page.continue_token);
    if (page.remaining) out += R"(,"remainingItemCount":)" + std::to_string(*page.remaining);
    return out + "}";
}

std::string event(std::string_view type, std::string_view object)
{
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
        return make_table(info, {object}, r, metadata, true, now);
    }
    case representation::partial:
    case representation::partial_list:
        return partial_metadata(*object);
    default:
        append_object(out, info, *object, r.version);
        return out;
    }
}

std::string render_list(const resource_info& info, const list_page& page, const rendering& r, wall_time now)
{
    if (r.as == representation::table) return make_table(info, page.items, r, list_metadata(page, false), true, now);
    std::string out;
    std::size_t size = 256;
    for (const auto& item : page.items) size += item->text.size() + 1;
    out.reserve(size);
    const bool partial = r.as == representation::partial_list;
    const bool custom = info.custom && !partial;
    if (partial)
        out += R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)" +
               list_metadata(page, false);
    else if (custom)
        out += R"({"apiVersion":")" + info.api_version(r.version) + '"';
    else
        out += R"({"kind":")" + info.list_kind + R"(","apiVersion":")" + info.api_version(r.version) +
               R"(","metadata":)" + list_metadata(page, false);
    out += R"(,"items":[)";
    bool first = true;
    for (const auto& item : page.items) {
        if (!first) out += ',';
        first = false;
        if (partial)
            out += partial_metadata(*item);
        else
            append_object(out, info, *item, r.version, true);
    }
    out += ']';
    if (custom) out += R"(,"kind":")" + info.list_kind + R"(","metadata":)" + list_metadata(page, true);
    return out + "}";
}

std::string render_event(const resource_info& info, std::string_view type, const stored& object, const rendering& r,
                         bool columns, wall_time now)
{
    switch (r.as) {
    case representation::table: {
        const auto metadata = R"({"resourceVersion":")" + std::to_string(object->version) + "\"}";
        return event(type, make_table(info, {object}, r, metadata, columns, now));
    }
    case representation::partial:
    case representation::partial_list:
        return event(type, partial_metadata(*object));
    default: {
        std::string text;
        append_object(text, info, *object, r.version);
        return event(type, text);
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
        return event("BOOKMARK", make_bookmark_table(info, r, "{" + number + "}", metadata, columns));
    std::string object;
    if (r.as == representation::json)
        object = info.type_prefix(r.version);
    else
        object = "{" + std::string(partial_type);
    object += R"("metadata":)" + metadata;
    // The zero value of the Go struct shows through.
    if (r.as == representation::json && info.kind == "Pod") object += R"(,"spec":{"containers":null},"status":{})";
    if (r.as == representation::json && info.kind == "Deployment")
        object += R"(,"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},)"
                  R"("strategy":{}},"status":{})";
    return event("BOOKMARK", object + "}");
}

std::string render_error_event(std::string_view status) { return event("ERROR", status); }

} // namespace kubecoro::apiserver
