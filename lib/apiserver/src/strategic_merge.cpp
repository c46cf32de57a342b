// Kubernetes' strategic merge patch for the lists that the built-in kinds merge by key.
#include "json_text.hpp"
#include "patch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

namespace kubecoro::apiserver {
namespace {

struct merge_rule
{
    std::string_view list;
    std::string_view key;
};

/// From the patchMergeKey tags of the API types; `ports` is containerPort in containers and port in services.
constexpr std::array merge_rules{merge_rule{"containers", "name"},
                                 merge_rule{"initContainers", "name"},
                                 merge_rule{"ephemeralContainers", "name"},
                                 merge_rule{"env", "name"},
                                 merge_rule{"volumes", "name"},
                                 merge_rule{"volumeMounts", "mountPath"},
                                 merge_rule{"volumeDevices", "devicePath"},
                                 merge_rule{"imagePullSecrets", "name"},
                                 merge_rule{"secrets", "name"},
                                 merge_rule{"hostAliases", "ip"},
                                 merge_rule{"podIPs", "ip"},
                                 merge_rule{"hostIPs", "ip"},
                                 merge_rule{"topologySpreadConstraints", "topologyKey"},
                                 merge_rule{"conditions", "type"},
                                 merge_rule{"addresses", "type"},
                                 merge_rule{"resourceClaims", "name"},
                                 merge_rule{"ownerReferences", "uid"}};

std::string_view merge_key(std::string_view list, const json::array& patch)
{
    if (list == "ports") {
        const bool container =
            std::any_of(patch.begin(), patch.end(), [](const auto& item) { return find_at(item, "containerPort"); });
        return container ? "containerPort" : "port";
    }
    const auto it = std::find_if(merge_rules.begin(), merge_rules.end(), [&](const auto& r) { return r.list == list; });
    return it == merge_rules.end() ? std::string_view{} : it->key;
}

bool merges_as_set(std::string_view list) { return list == "finalizers"; }

json::array::iterator find_item(json::array& items, std::string_view key, const json::value& wanted)
{
    return std::find_if(items.begin(), items.end(), [&](const json::value& item) {
        const auto* have = find_at(item, key);
        return have && *have == wanted;
    });
}

/// Items named in the order list come in its order; the others keep their place behind what they stood behind.
void order_items(json::array& items, std::string_view key, const json::array& order)
{
    const auto rank = [&](const json::value& item) -> std::ptrdiff_t {
        const json::value* id = key.empty() ? &item : find_at(item, key);
        if (!id) return -1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const json::value* wanted = key.empty() ? &order[i] : find_at(order[i], key);
            if (wanted && *wanted == *id) return static_cast<std::ptrdiff_t>(i);
        }
        return -1;
    };
    std::vector<std::pair<std::ptrdiff_t, json::value>> ranked;
    std::vector<std::pair<std::size_t, json::value>> others;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto r = rank(items[i]);
        if (r < 0)
            others.emplace_back(i, items[i]);
        else
            ranked.emplace_back(r, items[i]);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    json::array ordered;
    auto other = others.begin();
    for (auto& [r, item] : ranked) {
        while (other != others.end() && other->first <= ordered.size()) ordered.push_back(std::move((other++)->second));
        ordered.push_back(std::move(item));
    }
    while (other != others.end()) ordered.push_back(std::move((other++)->second));
    items = std::move(ordered);
}

void merge_object(json::object& target, const json::object& patch);

void merge_keyed_list(json::array& items, const json::array& patch, std::string_view key)
{
    for (const auto& item : patch) {
        const auto directive = text_at(item, "$patch");
        if (directive == "replace") {
            json::array replaced;
            for (const auto& each : patch)
                if (text_at(each, "$patch").empty()) replaced.push_back(each);
            items = std::move(replaced);
            return;
        }
    }
    for (const auto& item : patch) {
        const auto* id = find_at(item, key);
        if (!id || !item.is_object()) continue;
        const auto found = find_item(items, key, *id);
        if (text_at(item, "$patch") == "delete") {
            if (found != items.end()) items.erase(found);
            continue;
        }
        if (found != items.end() && found->is_object()) {
            merge_object(found->get_object(), item.get_object());
            continue;
        }
        json::object fresh;
        merge_object(fresh, item.get_object());
        items.push_back(std::move(fresh));
    }
}

void merge_list(json::object& target, std::string_view name, const json::array& patch)
{
    const auto key = merge_key(name, patch);
    auto& member = target[name];
    if (!member.is_array() || (key.empty() && !merges_as_set(name))) {
        // Lists without a key are replaced; a new keyed list still must lose its directives.
        member = json::array{};
        if (key.empty()) {
            member = patch;
            return;
        }
    }
    auto& items = member.get_array();
    if (!key.empty()) {
        merge_keyed_list(items, patch, key);
        return;
    }
    for (const auto& item : patch)
        if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

constexpr std::string_view order_prefix = "$setElementOrder/";
constexpr std::string_view delete_prefix = "$deleteFromPrimitiveList/";

void apply_directives(json::object& target, const json::object& patch)
{
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (!value.is_array()) continue;
        if (key == "$retainKeys") {
            std::vector<std::string> gone;
            for (const auto& member : target)
                if (std::find(value.get_array().begin(), value.get_array().end(), json::value(member.key())) ==
                    value.get_array().end())
                    gone.emplace_back(member.key());
            for (const auto& name : gone) target.stable_erase(name);
        } else if (key.starts_with(delete_prefix)) {
            auto* list = target.if_contains(key.substr(delete_prefix.size()));
            if (!list || !list->is_array()) continue;
            auto& items = list->get_array();
            for (const auto& doomed : value.get_array())
                items.erase(std::remove(items.begin(), items.end(), doomed), items.end());
        }
    }
}

void apply_order(json::object& target, const json::object& patch)
{
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (!key.starts_with(order_prefix) || !value.is_array()) continue;
        const auto list_name = key.substr(order_prefix.size());
        auto* list = target.if_contains(list_name);
        if (list && list->is_array())
            order_items(list->get_array(), merge_key(list_name, value.get_array()), value.get_array());
    }
}

void merge_object(json::object& target, const json::object& patch)
{
    if (const auto* directive = patch.if_contains("$patch"); directive && directive->is_string()) {
        const std::string_view what = directive->get_string();
        if (what == "delete" || what == "replace") target.clear();
        if (what == "delete") return;
    }
    apply_directives(target, patch);
    for (const auto& [key_text, value] : patch) {
        const std::string_view key = key_text;
        if (key.starts_with('$')) continue;
        if (value.is_null()) {
            target.stable_erase(key);
        } else if (value.is_object()) {
            auto& member = target[key];
            if (!member.is_object()) member = json::object{};
            merge_object(member.get_object(), value.get_object());
        } else if (value.is_array()) {
            merge_list(target, key, value.get_array());
        } else {
            target[key] = value;
        }
    }
    apply_order(target, patch);
}

} // namespace

void apply_strategic_merge(json::value& doc, const json::value& patch)
{
    if (!doc.is_object()) doc = json::object{};
    if (patch.is_object()) merge_object(doc.get_object(), patch.get_object());
}

} // namespace kubecoro::apiserver
