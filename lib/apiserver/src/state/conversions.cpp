#include "state/conversions.hpp"

#include "objects/status_errors.hpp"
#include "schema/validation.hpp"
#include "state/resource_store.hpp"
#include "text/json_text.hpp"

#include <utility>

namespace kubecoro::apiserver {
namespace {

/// A request that has to wait, or that a webhook has failed.
status_error not_converted(int code, std::string message) { return errors::make(code, "", std::move(message)); }

/// A converted object is held to the schema of its version, as a stored one is when it is read.
void take_schema(const resource_info& info, std::string_view version, json::value& body)
{
    if (const auto* schema = info.schema_of(version)) {
        schema->prune(body);
        schema->drop_nulls(body);
        (void)schema->fill_defaults(body); // one that would grow beyond all bounds stays as it is
    }
    normalise(info, body);
}

/// The rules of labels and annotations, the only metadata that a conversion changes.
std::string label_problem(const resource_info& info, const json::value& from, const json::value& to)
{
    const auto own = [](const json::value& o) {
        json::object metadata;
        for (const char* name : {"labels", "annotations"})
            if (const auto* texts = find_at(o, std::string("metadata.") + name)) metadata[name] = *texts;
        return metadata;
    };
    if (own(from) == own(to)) return {};
    std::vector<status_cause> before, after;
    validate_metadata(info, from, before);
    validate_metadata(info, to, after);
    return after.size() > before.size() ? after.back().field + ": " + after.back().message : std::string();
}

json::object typed(const resource_info& info, std::string_view version, const json::value& body)
{
    json::object out{{"kind", info.kind}, {"apiVersion", info.api_version(version)}};
    for (const auto& [key, value] : body.get_object())
        if (key != "kind" && key != "apiVersion") out.emplace(key, value);
    return out;
}

} // namespace

object_address in_own_version(object_address at, const stored_object& object)
{
    if (at.store->info.conversion) at.version = own_version(at.store->info, object);
    return at;
}

bool version_converter::converts(const resource_info& info, const stored_object& object, std::string_view version) const
{
    return by_ && info.conversion && own_version(info, object) != version;
}

answer<version_converter::bodies> version_converter::convert(const resource_info& info, const bodies& from,
                                                             std::string_view version) const
{
    auto made = by_->convert(*info.conversion, from, info.api_version(version));
    if (!made) return not_converted(0, "a conversion is asked for");
    if (!*made) return not_converted(500, made->error().message());
    for (std::size_t i = 0; i < from.size(); ++i) {
        json::value body = std::move((**made)[i]);
        if (const auto why = label_problem(info, from[i], body); !why.empty())
            return not_converted(500, "conversion webhook for " + std::string(text_at(from[i], "apiVersion")) +
                                          ", Kind=" + info.kind + " returned invalid metadata: " + why);
        take_schema(info, version, body);
        (**made)[i] = std::move(body.get_object());
    }
    return std::move(**made);
}

answer<json::value> version_converter::read(const resource_info& info, const stored_object& object,
                                            std::string_view version) const
{
    if (!converts(info, object, version)) return to_json(info, object, version);
    auto made = convert(info, {to_json(object).get_object()}, version);
    if (!made) return made.error();
    return json::value(std::move(made->front()));
}

answer<json::value> version_converter::in_version(const resource_info& info, const json::value& object,
                                                  std::string_view version) const
{
    const auto wanted = info.api_version(version);
    if (text_at(object, "apiVersion") == wanted) return object;
    if (by_ && info.conversion) {
        auto made = convert(info, {object.get_object()}, version);
        if (!made) return made.error();
        return json::value(std::move(made->front()));
    }
    auto out = object;
    out.get_object()["apiVersion"] = wanted;
    take_version(info, version, out);
    return out;
}

answer<std::vector<stored>> version_converter::shown(const resource_info& info, std::span<const stored> objects,
                                                     std::string_view version) const
{
    std::vector<stored> out(objects.begin(), objects.end());
    bodies from;
    for (const auto& each : objects)
        if (converts(info, *each, version)) from.push_back(to_json(*each).get_object());
    if (from.empty()) return out;
    const auto made = convert(info, from, version);
    if (!made) return made.error();
    auto next = made->begin();
    for (auto& each : out)
        if (converts(info, *each, version)) each = make_stored(info, json::value(*next++), each->version);
    return out;
}

answer<stored> version_converter::shown(const resource_info& info, const stored& object, std::string_view version) const
{
    auto made = shown(info, std::span(&object, 1), version);
    if (!made) return made.error();
    return std::move(made->front());
}

answer<void> version_converter::settle_written(const resource_info& info, std::string_view version,
                                               json::value& body) const
{
    if (version == info.storage_version) return {};
    if (!by_ || !info.conversion) {
        take_version(info, info.storage_version, body);
        return {};
    }
    auto made = convert(info, {typed(info, version, body)}, info.storage_version);
    if (!made) return made.error();
    // A failed way back is the answer to the write, which has been carried out.
    if (const auto back = convert(info, *made, version); !back && back.error().code == 0) return back.error();
    body = std::move(made->front());
    for (const std::string_view key : {"kind", "apiVersion"}) body.get_object().stable_erase(key);
    return {};
}

} // namespace kubecoro::apiserver
