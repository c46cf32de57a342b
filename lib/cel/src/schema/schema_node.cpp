#include "schema/schema_node.hpp"

#include "text/escaping.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace kubecoro::cel::detail {

namespace {

constexpr std::int64_t longest_name = 253;
constexpr std::int64_t smallest_string = 2;
constexpr std::int64_t smallest_date_time = 21;
constexpr std::int64_t largest_date_time = 32;
constexpr std::int64_t date_size = 12;
constexpr std::int64_t smallest_duration = 3;
constexpr std::int64_t largest_duration = 32;

const boost::json::value* member_of(const boost::json::value& schema, std::string_view name)
{
    const auto* object = schema.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
}

std::string_view text_of(const boost::json::value& schema, std::string_view name)
{
    const auto* found = member_of(schema, name);
    const auto* text = found != nullptr ? found->if_string() : nullptr;
    return text != nullptr ? std::string_view(*text) : std::string_view{};
}

bool flag_of(const boost::json::value& schema, std::string_view name)
{
    const auto* found = member_of(schema, name);
    return found != nullptr && found->is_bool() && found->get_bool();
}

/// A limit of the schema; `otherwise` if it has none.
std::int64_t limit_of(const boost::json::value& schema, std::string_view name, std::int64_t otherwise)
{
    const auto* found = member_of(schema, name);
    if (found == nullptr) return otherwise;
    if (found->is_int64()) return std::max<std::int64_t>(found->get_int64(), 0);
    if (found->is_double()) return std::max<std::int64_t>(static_cast<std::int64_t>(found->get_double()), 0);
    return otherwise;
}

/// Whether properties have all that rules see of each resource.
bool has_object_meta(const boost::json::value* properties)
{
    if (properties == nullptr) return false;
    const auto type_of = [](const boost::json::value& in, std::string_view name) {
        const auto* found = member_of(in, name);
        return found != nullptr ? text_of(*found, "type") : std::string_view{};
    };
    if (type_of(*properties, "kind") != "string" || type_of(*properties, "apiVersion") != "string" ||
        type_of(*properties, "metadata") != "object")
        return false;
    const auto* metadata = member_of(*member_of(*properties, "metadata"), "properties");
    return metadata != nullptr && type_of(*metadata, "name") == "string" &&
           type_of(*metadata, "generateName") == "string";
}

struct schema_builder
{
    schema_node& node;
    const boost::json::value& schema;

    void set(schema_kind kind, std::int64_t smallest, std::int64_t most) const
    {
        node.kind = kind;
        node.smallest_size = smallest;
        node.most_elements = most;
    }

    /// A character has four bytes at most.
    [[nodiscard]] static std::int64_t bytes_of(std::int64_t characters)
    {
        return std::min(characters, std::numeric_limits<std::int64_t>::max() / 4) * 4;
    }

    [[nodiscard]] std::int64_t longest_text() const
    {
        const std::int64_t longest = limit_of(schema, "maxLength", -1);
        if (longest >= 0) return bytes_of(longest);
        const auto* values = member_of(schema, "enum");
        if (values == nullptr || !values->is_array() || values->get_array().empty()) return largest_request - 2;
        std::int64_t most = 0;
        for (const auto& each : values->get_array())
            if (each.is_string()) most = std::max(most, static_cast<std::int64_t>(each.get_string().size()));
        return most;
    }

    void build_string() const
    {
        const auto format = text_of(schema, "format");
        if (format == "byte")
            set(schema_kind::bytes, smallest_string, limit_of(schema, "maxLength", largest_request - 2));
        else if (format == "duration")
            set(schema_kind::duration, smallest_duration, largest_duration);
        else if (format == "date")
            set(schema_kind::date, date_size, date_size);
        else if (format == "date-time")
            set(schema_kind::date_time, smallest_date_time, largest_date_time);
        else
            set(schema_kind::string, smallest_string, longest_text());
    }

    void build_list() const
    {
        const auto* items = member_of(schema, "items");
        set(schema_kind::list, 2, 0);
        const auto order = text_of(schema, "x-kubernetes-list-type");
        node.order = order == "map" ? list_order::map : order == "set" ? list_order::set : list_order::atomic;
        if (const auto* keys = member_of(schema, "x-kubernetes-list-map-keys"); keys != nullptr && keys->is_array())
            for (const auto& key : keys->get_array())
                if (key.is_string()) node.keys.emplace_back(key.get_string());
        if (items == nullptr) return;
        node.items = compile_schema(*items, flag_of(*items, "x-kubernetes-embedded-resource"));
        const auto most = (largest_request - 2) / (node.items->smallest_size + 1);
        node.most_elements = limit_of(schema, "maxItems", most);
    }

    void build_map(const boost::json::value& members) const
    {
        set(schema_kind::map, 2, 0);
        node.items = compile_schema(members, flag_of(members, "x-kubernetes-embedded-resource"));
        const auto most = (largest_request - 2) / (node.items->smallest_size + 6);
        node.most_elements = limit_of(schema, "maxProperties", most);
    }

    void add_property(std::string_view name, const boost::json::value& property, bool required) const
    {
        auto compiled = compile_schema(property, flag_of(property, "x-kubernetes-embedded-resource"));
        if (required && compiled->visible() && member_of(property, "default") == nullptr)
            node.smallest_size += static_cast<std::int64_t>(name.size()) + compiled->smallest_size + 4;
        node.properties.insert_or_assign(std::string(name), std::move(compiled));
    }

    /// A text of metadata, whose length the schema may limit further.
    [[nodiscard]] boost::json::object name_schema(std::string_view name, std::int64_t longest) const
    {
        const boost::json::value* own = &schema;
        for (const std::string_view each :
             {std::string_view("properties"), std::string_view("metadata"), std::string_view("properties"), name})
            own = own != nullptr ? member_of(*own, each) : nullptr;
        if (own != nullptr) longest = std::min(longest, limit_of(*own, "maxLength", longest));
        return {{"type", "string"}, {"maxLength", longest}};
    }

    void build_object(bool is_resource) const
    {
        const auto* properties = member_of(schema, "properties");
        is_resource = is_resource && !has_object_meta(properties);
        const auto* members = member_of(schema, "additionalProperties");
        if (members != nullptr && members->is_object() && !is_resource) return build_map(*members);
        set(schema_kind::object, 2, 0);
        std::set<std::string_view> required;
        if (const auto* names = member_of(schema, "required"); names != nullptr && names->is_array())
            for (const auto& name : names->get_array())
                if (name.is_string()) required.insert(name.get_string());
        if (properties != nullptr && properties->is_object()) {
            node.has_properties = true;
            for (const auto& [name, property] : properties->get_object())
                if (!is_resource || (name != "kind" && name != "apiVersion" && name != "metadata"))
                    add_property(name, property, required.contains(name));
        }
        if (!is_resource) return;
        static const boost::json::value text = boost::json::parse(R"({"type":"string"})");
        boost::json::object metadata{{"type", "object"}};
        metadata["properties"] = {{"name", name_schema("name", longest_name)},
                                  {"generateName", name_schema("generateName", longest_name - 1)}};
        node.has_properties = true;
        add_property("kind", text, required.contains("kind"));
        add_property("apiVersion", text, required.contains("apiVersion"));
        add_property("metadata", metadata, required.contains("metadata"));
    }

    void build(bool is_resource) const
    {
        node.nullable = flag_of(schema, "nullable");
        if (flag_of(schema, "x-kubernetes-int-or-string")) {
            const std::int64_t longest = limit_of(schema, "maxLength", -1);
            set(schema_kind::int_or_string, 1, longest < 0 ? largest_request - 2 : bytes_of(longest));
            return;
        }
        const auto type = text_of(schema, "type");
        if (type == "object") return build_object(is_resource);
        if (type == "array") return build_list();
        if (type == "string") return build_string();
        if (type == "boolean") return set(schema_kind::boolean, 4, 0);
        if (type == "number") return set(schema_kind::number, 1, 0);
        if (type == "integer") return set(schema_kind::integer, 1, 0);
        if (flag_of(schema, "x-kubernetes-preserve-unknown-fields")) set(schema_kind::preserved, 0, 0);
    }
};

} // namespace

bool schema_node::visible() const noexcept
{
    const schema_node* node = this;
    while (node->kind == schema_kind::list || node->kind == schema_kind::map) {
        if (node->items == nullptr) return false;
        node = node->items.get();
    }
    return node->kind != schema_kind::unknown && node->kind != schema_kind::preserved;
}

const schema_node* schema_node::member(std::string_view name) const noexcept
{
    if (kind == schema_kind::map) return items.get();
    const auto found = properties.find(name);
    return found != properties.end() ? found->second.get() : nullptr;
}

std::unique_ptr<schema_node> compile_schema(const boost::json::value& schema, bool is_resource)
{
    auto out = std::make_unique<schema_node>();
    schema_builder{*out, schema}.build(is_resource);
    return out;
}

} // namespace kubecoro::cel::detail
