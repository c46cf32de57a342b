#include "helpers/definition_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/version_order.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t max_shown = 256;

struct version_state
{
    std::string name;
    bool served = false;
    bool storage = false;
};

std::vector<version_state> versions_of(const json::value& definition)
{
    std::vector<version_state> all;
    const auto* o = definition.if_object();
    const auto* list = o ? find_field(*o, "spec", "versions") : nullptr;
    if (!list || !list->is_array()) return all;
    for (const auto& item : list->get_array()) {
        const auto* name = member_in(item, "name");
        if (name && name->is_string())
            all.push_back({std::string(name->get_string()), is_true_in(item, "served"), is_true_in(item, "storage")});
    }
    return all;
}

const version_state* find_version(const std::vector<version_state>& all, std::string_view name)
{
    const auto at = std::find_if(all.begin(), all.end(), [name](const auto& v) { return v.name == name; });
    return at == all.end() ? nullptr : &*at;
}

std::string storage_of(const std::vector<version_state>& all)
{
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& v) { return v.storage; });
    return at == all.end() ? std::string() : at->name;
}

failure downgrade(const object& present, const std::string& what)
{
    return failure(cond::invalid,
                   "the definition \"" + printable(present.name()) + "\" on the server is newer: " + what);
}

} // namespace

result<> check_upgrade(const object& present, const json::object& wanted)
{
    const auto now = versions_of(present.to_json());
    const auto then = versions_of(wanted);
    for (const auto& v : now) {
        const auto* kept = find_version(then, v.name);
        if (v.served && !(kept && kept->served))
            return downgrade(present, "it would no longer serve " + printable(v.name));
    }
    for (const auto stored : present.path("status.storedVersions").items())
        if (!find_version(then, stored.as_string()))
            return downgrade(present, "objects are stored as " + printable(stored.as_string()));
    const auto before = storage_of(now);
    const auto after = storage_of(then);
    if (is_older_version(after, before))
        return downgrade(present, "it stores " + printable(before) + ", not " + printable(after));
    return {};
}

std::optional<result<>> readiness_of(const object& definition)
{
    const auto names = find_condition(definition, "NamesAccepted");
    if (names["status"].as_string() == "False")
        return failure(cond::invalid, "the server does not accept the names of \"" + printable(definition.name()) +
                                          "\": " + printable(names["reason"].as_string(), max_shown) + ", " +
                                          printable(names["message"].as_string(), max_shown));
    if (names["status"].as_string() != "True") return std::nullopt;
    if (find_condition(definition, "Established")["status"].as_string() != "True") return std::nullopt;
    return result<>{};
}

std::string missing_condition(const object& definition)
{
    for (const auto* type : {"NamesAccepted", "Established"}) {
        const auto c = find_condition(definition, type);
        if (c["status"].as_string() == "True") continue;
        const auto reason = printable(c["reason"].as_string(), max_shown);
        return std::string("its condition ") + type + " is not True" + (reason.empty() ? "" : " (" + reason + ")");
    }
    return "it is ready";
}

} // namespace kubecoro::detail
