#include "fields_v1.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

namespace json = boost::json;

namespace kubecoro::bench {
namespace {

struct keyed_list
{
    std::string_view name;
    std::string_view key;
    std::string_view second_key;
};

// Lists of the core types whose items have an identity; the server treats every other list as one value.
constexpr std::array keyed_lists{
    keyed_list{"conditions", "type", {}},
    keyed_list{"containers", "name", {}},
    keyed_list{"env", "name", {}},
    keyed_list{"hostIPs", "ip", {}},
    keyed_list{"initContainers", "name", {}},
    keyed_list{"ownerReferences", "uid", {}},
    keyed_list{"podIPs", "ip", {}},
    keyed_list{"ports", "containerPort", "protocol"},
    keyed_list{"volumeMounts", "mountPath", {}},
    keyed_list{"volumes", "name", {}},
};

// Members that no manager owns, because the server created them first.
constexpr std::array<std::string_view, 5> never_owned{"conditions", "containers", "metadata", "spec", "status"};

// Members that are one value although they have fields.
constexpr std::array<std::string_view, 4> atomic{"fieldRef", "resourceFieldRef", "labelSelector", "nodeSelector"};

template<class List>
bool contains(const List& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

json::object fields_of(std::string_view name, const json::value& value);

json::object in_order(std::map<std::string, json::object, std::less<>> members, bool owned)
{
    json::object out;
    if (owned) out[std::string_view(".")] = json::object();
    for (auto& [key, fields] : members) out[key] = std::move(fields);
    return out;
}

json::object fields_of_object(const json::object& value, bool owned)
{
    std::map<std::string, json::object, std::less<>> members;
    for (const auto& [key, member] : value) members["f:" + std::string(key)] = fields_of(key, member);
    return in_order(std::move(members), owned);
}

json::object fields_of_list(const keyed_list& keys, const json::array& items)
{
    std::map<std::string, json::object, std::less<>> members;
    for (const json::value& item : items) {
        json::object key;
        key[keys.key] = item.at(keys.key);
        if (!keys.second_key.empty()) key[keys.second_key] = item.at(keys.second_key);
        // An owner reference is one value below its identity.
        const bool opaque = keys.name == "ownerReferences";
        members["k:" + json::serialize(key)] = opaque ? json::object() : fields_of_object(item.as_object(), true);
    }
    return in_order(std::move(members), !contains(never_owned, keys.name));
}

json::object fields_of(std::string_view name, const json::value& value)
{
    if (contains(atomic, name)) return {};
    if (const json::object* o = value.if_object(); o && !o->empty())
        return fields_of_object(*o, !contains(never_owned, name));
    if (const json::array* a = value.if_array()) {
        const auto found =
            std::find_if(keyed_lists.begin(), keyed_lists.end(), [&](auto& k) { return k.name == name; });
        if (found != keyed_lists.end()) return fields_of_list(*found, *a);
    }
    return {};
}

} // namespace

json::object fields_v1(const json::object& written) { return fields_of_object(written, false); }

} // namespace kubecoro::bench
