// Takes the part of an object that one manager has applied, by the rules of client-go's extraction, and moves the fields of
// managers that updated to one that applies, by those of its csaupgrade.
#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/merge_type.hpp>
#include <kubecoro/api/detail/typed_value.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/apply.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// One entry, borrowed from its object.
struct managed_entry
{
    std::string_view manager;
    /// "Apply" or "Update".
    std::string_view operation;
    std::string_view api_version;
    std::string_view subresource;
    /// FieldsV1.
    value_view fields;
};

[[nodiscard]] inline managed_entry read_entry(value_view entry) noexcept
{
    return {entry["manager"].as_string(), entry["operation"].as_string(), entry["apiVersion"].as_string(),
            entry["subresource"].as_string(), entry["fieldsV1"]};
}

namespace json = boost::json;

/// The shape of values whose type is known.
class typed_shape
{
public:
    explicit typed_shape(merge_type type) : type_(std::move(type)) {}

    /// Not as a whole.
    [[nodiscard]] bool in_parts(const boost::json::value& v) const
    {
        return v.is_structured() && type_.form_of(v) != merge_type::form::leaf;
    }
    [[nodiscard]] typed_shape member(std::string_view name) const { return typed_shape(type_.member(name)); }
    [[nodiscard]] typed_shape item(std::string_view /*element*/) const { return typed_shape(type_.item()); }

    /// Finds the items of a list.
    class finder
    {
    public:
        explicit finder(item_keys keys) : keys_(std::move(keys)) {}
        [[nodiscard]] path_element element_of(const boost::json::value& item, std::size_t /*index*/) const
        {
            return keys_.element_of(item);
        }
        /// Adds the keys that an item needs. A key with the default value of the schema is not needed.
        void add_keys(boost::json::object& out, const boost::json::value& item) const;

    private:
        item_keys keys_;
    };
    [[nodiscard]] result<finder> items(const field_set& /*owned*/) const
    {
        return finder(item_keys(type_, type_.form_of(boost::json::array_kind)));
    }

private:
    merge_type type_;
};

/// The shape of values of an unknown type: a value of which some manager owns a part is owned in parts.
class observed_shape
{
public:
    /// @param all  The fields of the value that any manager owns; null: none. Must outlive the shape.
    explicit observed_shape(const field_set* all) : all_(all) {}

    [[nodiscard]] bool in_parts(const boost::json::value& v) const { return v.is_structured() && all_; }
    [[nodiscard]] observed_shape member(std::string_view name) const { return item(name_element(name)); }
    [[nodiscard]] observed_shape item(std::string_view element) const
    {
        return observed_shape(all_ ? all_->below(element) : nullptr);
    }

    /// Finds the items of a list by the elements that are owned.
    class finder
    {
    public:
        using key_list = std::vector<std::string>;

        finder(const field_set& owned, std::set<key_list> lists) : owned_(&owned), lists_(std::move(lists)) {}
        [[nodiscard]] path_element element_of(const boost::json::value& item, std::size_t index) const;
        void add_keys(boost::json::object& out, const boost::json::value& item) const;

    private:
        /// The names of the keys by which an item is owned; null if it is not by keys.
        [[nodiscard]] const key_list* keys_of(const boost::json::value& item) const;

        const field_set* owned_;
        /// The lists of key names that the elements use.
        std::set<key_list> lists_;
    };
    /// Errors: cond::corrupt for items with keys of many kinds, which no API has and which would cost time.
    [[nodiscard]] static result<finder> items(const field_set& owned);

private:
    const field_set* all_;
};

namespace {

constexpr std::size_t most_key_lists = 16;

/// None if the item lacks a key: then it is an item of other keys.
std::optional<path_element> element_by_keys(const json::value& item, const std::vector<std::string>& names)
{
    json::object keys;
    for (const auto& name : names) {
        const auto* value = item.get_object().if_contains(name);
        if (value == nullptr) return std::nullopt;
        keys.emplace(name, *value);
    }
    return key_element(keys);
}

} // namespace

void typed_shape::finder::add_keys(json::object& out, const json::value& item) const
{
    if (!item.is_object()) return;
    for (const auto& key : keys_.keys())
        if (const auto* value = item.get_object().if_contains(key.name); value && key.otherwise != *value)
            out.emplace(key.name, *value);
}

result<observed_shape::finder> observed_shape::items(const field_set& owned)
{
    std::set<finder::key_list> lists;
    for (const auto& [element, n] : owned.steps()) {
        if (!element.starts_with("k:")) continue;
        finder::key_list names;
        boost::system::error_code broken; // a set has no other elements than those that could be read
        const auto keys = json::parse(std::string(content_of(element)), broken);
        if (!keys.is_object()) continue;
        for (const auto& key : keys.get_object()) names.emplace_back(key.key());
        lists.insert(std::move(names));
        if (lists.size() > most_key_lists)
            return failure(cond::corrupt, "the items of a list have too many kinds of keys");
    }
    return finder(owned, std::move(lists));
}

const observed_shape::finder::key_list* observed_shape::finder::keys_of(const json::value& item) const
{
    if (!item.is_object()) return nullptr;
    for (const auto& names : lists_)
        if (const auto element = element_by_keys(item, names); element && owned_->steps().contains(*element))
            return &names;
    return nullptr;
}

path_element observed_shape::finder::element_of(const json::value& item, std::size_t index) const
{
    if (const auto* names = keys_of(item)) return *element_by_keys(item, *names);
    auto by_value = value_element(item);
    return owned_->steps().contains(by_value) ? by_value : "i:" + std::to_string(index);
}

void observed_shape::finder::add_keys(json::object& out, const json::value& item) const
{
    const auto* names = keys_of(item);
    if (!names) return;
    for (const auto& name : *names) out.emplace(name, item.at(name));
}

} // namespace kubecoro::detail

namespace kubecoro {

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

namespace {

/// An entry that can be changed.
struct entry
{
    json::object text;
    std::string manager;
    std::string operation;
    std::string api_version;
    std::string subresource;
    field_set fields;
};

using entries = std::vector<entry>;

result<entries> read_entries(value_view managed)
{
    entries out;
    for (const auto item : managed.items()) {
        const auto seen = read_entry(item);
        auto fields = field_set::of_fields(seen.fields.to_json());
        if (!fields) return fields.error();
        auto text = item.to_json();
        out.push_back({std::move(text.get_object()), std::string(seen.manager), std::string(seen.operation),
                       std::string(seen.api_version), std::string(seen.subresource), std::move(*fields)});
    }
    return out;
}

template<class Test>
entry* first(entries& all, Test test)
{
    const auto found = std::find_if(all.begin(), all.end(), test);
    return found == all.end() ? nullptr : &*found;
}

void move_fields(entries& all, const std::string& from, const apply_migration& how)
{
    const auto is_old = [&](const entry& e) {
        return e.manager == from && e.operation == "Update" && e.subresource == how.subresource;
    };
    auto* target = first(all, [&](const entry& e) {
        return e.manager == how.to && e.operation == "Apply" && e.subresource == how.subresource;
    });
    if (target == nullptr) {
        // The first one is the most recent.
        target = first(all, is_old);
        if (target == nullptr) return;
        target->operation = "Apply";
        target->manager = how.to;
        target->text["operation"] = "Apply";
        target->text["manager"] = how.to;
    }
    // Fields are named as in their version: those of other versions cannot be joined and are given up.
    if (const auto* old = first(all, [&](const entry& e) { return is_old(e) && e.api_version == target->api_version; }))
        target->fields.add(old->fields);
    target->text["fieldsV1"] = target->fields.to_fields();
    std::erase_if(all, is_old);
}

json::array texts_of(const entries& all)
{
    json::array out;
    for (const auto& e : all) out.push_back(e.text);
    return out;
}

} // namespace

result<std::optional<std::string>> migration_patch(const object& live, const apply_migration& how)
{
    if (how.to.empty()) return failure(cond::invalid, "the manager that applies from now on has no name");
    auto all = read_entries(live.metadata()["managedFields"]);
    if (!all) return all.error();
    const auto before = texts_of(*all);
    for (const auto& from : how.from) move_fields(*all, from, how);
    auto after = texts_of(*all);
    if (after == before) return std::optional<std::string>{};
    // Replacing the version makes the server compare it: a conflict, where a test would be an invalid request.
    const json::array patch{
        json::object{{"op", "replace"}, {"path", "/metadata/managedFields"}, {"value", std::move(after)}},
        json::object{{"op", "replace"}, {"path", "/metadata/resourceVersion"}, {"value", live.resource_version()}}};
    return std::optional(json::serialize(patch));
}

} // namespace kubecoro
