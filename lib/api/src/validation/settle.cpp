#include "validation/settle.hpp"

#include "validation/findings.hpp"
#include <kubecoro/api/detail/go_format.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

bool is_type_or_metadata(std::string_view name) noexcept
{
    return name == "kind" || name == "apiVersion" || name == "metadata";
}

/// Calls `unknown(object, key, path)` for each member that the schema does not know. The value may be const or not.
template<class Unknown>
class unknown_walk
{
public:
    explicit unknown_walk(const Unknown& unknown) : unknown_(unknown) {}

    /// @param node  Null where the schema knows nothing.
    template<class Value>
    void walk(const schema_node* node, Value& v, const value_path& at, bool has_metadata)
    {
        if (node != nullptr && node->preserves_unknown) {
            walk_preserved(node, v, at, has_metadata);
        } else if (v.is_array()) {
            walk_items(v, at, [&](auto& item, const value_path& where) {
                walk(node ? node->items : nullptr, item, where, false);
            });
        } else if (v.is_object()) {
            const bool embedded = has_metadata || (node != nullptr && node->is_embedded_resource);
            for (auto& member : v.get_object()) {
                const std::string_view key = member.key();
                if (embedded && is_type_or_metadata(key)) continue;
                const auto* sub = node ? node->member(key) : nullptr;
                if (sub != nullptr || (node != nullptr && node->has_additional))
                    walk(sub, member.value(), at.property(key), false);
                else
                    unknown_(v.get_object(), key, at.property(key));
            }
        }
    }

private:
    template<class Value, class Each>
    static void walk_items(Value& v, const value_path& at, const Each& each)
    {
        std::size_t i = 0;
        for (auto& item : v.get_array()) each(item, at.item(i++));
    }

    /// Members without a schema stay, and those with one are looked into.
    template<class Value>
    void walk_preserved(const schema_node* node, Value& v, const value_path& at, bool has_metadata)
    {
        if (node == nullptr) return;
        if (v.is_array())
            walk_items(v, at,
                       [&](auto& item, const value_path& where) { walk_preserved(node->items, item, where, false); });
        else if (v.is_object())
            for (auto& member : v.get_object()) {
                const std::string_view key = member.key();
                if ((has_metadata || node->is_embedded_resource) && is_type_or_metadata(key)) continue;
                if (const auto* sub = node->member(key); sub != nullptr || node->has_additional)
                    walk(sub, member.value(), at.property(key), false);
            }
    }

    const Unknown& unknown_;
};

class default_writer
{
public:
    explicit default_writer(default_allowance& left) : left_(left) {}

    bool fill(const schema_node& node, json::value& v)
    {
        if (auto* items = v.if_array()) {
            if (node.items == nullptr) return true;
            return std::ranges::all_of(
                *items, [&](auto& item) { return replace(*node.items, item) && fill(*node.items, item); });
        }
        auto* object = v.if_object();
        if (object == nullptr) return true;
        for (const auto& [name, schema] : node.properties) {
            if (left_.steps == 0) return false;
            --left_.steps;
            if (schema->standard.is_null()) continue;
            if (object->if_contains(name) == nullptr &&
                !(spend(schema->standard) && object->emplace(name, schema->standard).second))
                return false;
        }
        for (auto& member : *object)
            if (const auto* schema = node.member(member.key());
                schema && !(replace(*schema, member.value()) && fill(*schema, member.value())))
                return false;
        return true;
    }

private:
    /// A null that is not allowed becomes the default.
    bool replace(const schema_node& node, json::value& v)
    {
        if (!v.is_null() || node.nullable || node.standard.is_null()) return true;
        if (!spend(node.standard)) return false;
        v = node.standard;
        return true;
    }

    bool spend(const json::value& standard)
    {
        const auto size = go_json(standard).size();
        if (size > left_.bytes) return false;
        left_.bytes -= size;
        return true;
    }

    default_allowance& left_;
};

} // namespace

std::vector<std::string> unknown_members(const schema_node& root, const json::value& v, bool is_object)
{
    std::vector<std::string> out;
    std::size_t room = max_path_bytes;
    const auto note = [&](const json::object&, std::string_view, const value_path& at) {
        if (room == 0) return;
        out.push_back(at.text());
        room -= std::min(room, out.back().size());
    };
    unknown_walk(note).walk(&root, v, value_path{}, is_object);
    std::ranges::sort(out);
    return out;
}

void prune_members(const schema_node& root, json::value& v)
{
    std::vector<std::pair<json::object*, std::string>> doomed;
    const auto note = [&](json::object& parent, std::string_view key, const value_path&) {
        doomed.emplace_back(&parent, std::string(key));
    };
    unknown_walk(note).walk(&root, v, value_path{}, true);
    // In reverse order: erasing moves only members of the same object.
    for (auto it = doomed.rbegin(); it != doomed.rend(); ++it) it->first->erase(it->second);
}

void drop_nulls(const schema_node& root, json::value& v)
{
    if (auto* items = v.if_array()) {
        for (auto& item : *items)
            if (root.items != nullptr) drop_nulls(*root.items, item);
        return;
    }
    auto* object = v.if_object();
    if (object == nullptr) return;
    std::vector<std::string> doomed;
    for (auto& member : *object) {
        const auto* schema = root.member(member.key());
        if (schema == nullptr) continue;
        if (member.value().is_null() && !schema->nullable && schema->standard.is_null())
            doomed.emplace_back(member.key());
        else
            drop_nulls(*schema, member.value());
    }
    for (const auto& key : doomed) object->erase(key);
}

bool add_defaults(const schema_node& root, json::value& v, default_allowance& left)
{
    return default_writer(left).fill(root, v);
}

} // namespace kubecoro::detail
