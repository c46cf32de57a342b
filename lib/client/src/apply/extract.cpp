// Takes the part of an object that one manager has applied, by the rules of client-go's extraction.
#include "apply/managed_fields.hpp"
#include "apply/owned_shape.hpp"

#include <kubecoro/client/apply.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

namespace json = boost::json;
using namespace detail;

namespace {

using taken_part = result<std::optional<json::value>>;

bool is_empty(const json::value& v)
{
    return v.is_null() || (v.is_object() && v.get_object().empty()) || (v.is_array() && v.get_array().empty());
}

/// Takes what is owned of a value. Nothing is taken of a value whose parts are owned by others.
template<class Shape>
class extraction
{
public:
    taken_part part(const json::value& v, const field_set& owned, const Shape& shape) const
    {
        if (is_empty(v) || !shape.in_parts(v)) return std::optional(v);
        if (v.is_object()) return members(v.get_object(), owned, shape);
        return items(v.get_array(), owned, shape);
    }

private:
    taken_part members(const json::object& v, const field_set& owned, const Shape& shape) const
    {
        json::object out;
        for (const auto& [name, value] : v) {
            const auto element = name_element(name);
            const auto* below = owned.below(element);
            if (!below && !owned.has(element)) continue;
            // Without paths below it, a value is owned as a whole, or is a map or list whose parts are others'.
            auto one = part(value, below ? *below : field_set{}, shape.member(name));
            if (!one) return one;
            if (*one) out.emplace(name, std::move(**one));
        }
        if (out.empty()) return std::optional<json::value>{};
        return std::optional<json::value>(std::move(out));
    }

    taken_part items(const json::array& v, const field_set& owned, const Shape& shape) const
    {
        const auto finder = shape.items(owned);
        if (!finder) return finder.error();
        json::array out;
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto element = finder->element_of(v[i], i);
            const auto* below = owned.below(element);
            if (!below && owned.has(element)) out.push_back(v[i]);
            if (!below) continue;
            auto one = part(v[i], *below, shape.item(element));
            if (!one) return one;
            json::value item = *one ? std::move(**one) : json::value(json::object{});
            // An item without its keys could not be found again.
            if (item.is_object()) finder->add_keys(item.get_object(), v[i]);
            out.push_back(std::move(item));
        }
        if (out.empty()) return std::optional<json::value>{};
        return std::optional<json::value>(std::move(out));
    }
};

/// The object with its names and nothing else.
json::object identity_of(const object& live)
{
    json::object metadata{{"name", live.name()}};
    if (!live.ns().empty()) metadata["namespace"] = live.ns();
    return {{"apiVersion", live.api_version()}, {"kind", live.kind()}, {"metadata", std::move(metadata)}};
}

/// Adds identity to what was taken, whose metadata has the manager's labels and annotations.
json::value with_identity(json::object taken, const object& live)
{
    auto identity = identity_of(live);
    auto& metadata = identity["metadata"].get_object();
    if (const auto* own = taken.if_contains("metadata"); own != nullptr && own->is_object())
        for (const auto& m : own->get_object()) metadata[m.key()] = m.value();
    taken.erase("metadata");
    for (auto& m : taken) identity[m.key()] = std::move(m.value());
    return identity;
}

/// The managed fields of an object.
struct ownership
{
    /// The fields that the manager has applied.
    field_set mine;
    /// The fields that any manager owns; empty unless asked for.
    field_set all;
};

result<ownership> read_ownership(const object& live, std::string_view manager, std::string_view subresource,
                                 bool of_all)
{
    const auto managed = live.metadata()["managedFields"];
    if (!managed.is_array() || managed.empty())
        return failure(cond::invalid, "the object has no managed fields; were they dropped while it was decoded?");
    ownership out;
    for (const auto item : managed.items()) {
        const auto entry = read_entry(item);
        auto fields = field_set::of_fields(entry.fields.to_json());
        if (!fields) return fields.error();
        if (of_all) out.all.add(*fields);
        const bool is_mine = entry.manager == manager && entry.operation == "Apply" && entry.subresource == subresource;
        if (is_mine && entry.api_version != live.api_version())
            return failure(cond::invalid, "the manager has applied version " + std::string(entry.api_version) +
                                              ", and the object was read in another one");
        if (is_mine) out.mine = std::move(*fields);
    }
    return out;
}

template<class Shape>
result<json::value> extracted(const object& live, const field_set& mine, const Shape& shape)
{
    if (mine.empty()) return json::value(identity_of(live));
    auto part = extraction<Shape>{}.part(live.root().to_json(), mine, shape);
    if (!part) return part.error();
    if (!*part) return json::value(identity_of(live));
    return with_identity(std::move((*part)->get_object()), live);
}

/// The schema of the version of an object; null if the definition is not that of its kind.
json::value schema_of(const object& live, const object& definition)
{
    const auto spec = definition["spec"];
    const auto version = live.api_version();
    const auto slash = version.find('/');
    const bool is_its = slash != std::string_view::npos && spec["group"].as_string() == version.substr(0, slash) &&
                        spec["names"]["kind"].as_string() == live.kind();
    if (!is_its) return {};
    for (const auto served : spec["versions"].items())
        if (served["name"].as_string() == version.substr(slash + 1)) {
            const auto schema = served["schema"]["openAPIV3Schema"];
            return schema ? schema.to_json() : json::value(json::object{});
        }
    return {};
}

} // namespace

result<json::value> extract(const object& live, std::string_view manager, std::string_view subresource)
{
    const auto type = merge_type::of_kind(live.api_version(), live.kind());
    const auto owned = read_ownership(live, manager, subresource, !type);
    if (!owned) return owned.error();
    if (type) return extracted(live, owned->mine, typed_shape(*type));
    return extracted(live, owned->mine, observed_shape(&owned->all));
}

result<json::value> extract(const object& live, const object& definition, std::string_view manager,
                            std::string_view subresource)
{
    const auto owned = read_ownership(live, manager, subresource, false);
    if (!owned) return owned.error();
    const auto schema = schema_of(live, definition);
    if (!schema.is_object())
        return failure(cond::invalid, "the definition is not that of the object's kind, or does not have its version");
    return extracted(live, owned->mine, typed_shape(merge_type::of_custom(schema)));
}

} // namespace kubecoro
