#include "state/crd_names.hpp"

#include "text/json_text.hpp"

namespace kubecoro::apiserver {

crd_names names_of(const resource_info& info)
{
    crd_names out{{info.plural, info.singular}, {info.kind, info.list_kind}};
    out.resources.insert(out.resources.end(), info.short_names.begin(), info.short_names.end());
    return out;
}

crd_names accepted_names_of(const json::value& crd)
{
    crd_names out;
    const auto* accepted = find_at(crd, "status.acceptedNames");
    if (!accepted || !accepted->is_object()) return out;
    for (const char* member : {"plural", "singular"}) out.resources.emplace_back(text_at(*accepted, member));
    for (const char* member : {"kind", "listKind"}) out.kinds.emplace_back(text_at(*accepted, member));
    if (const auto* list = array_at(*accepted, "shortNames"))
        for (const auto& name : *list) out.resources.push_back(scalar_text(name));
    return out;
}

void names_in_use::add(const crd_names& names)
{
    for (const auto& name : names.resources) ++resources_[name];
    for (const auto& name : names.kinds) ++kinds_[name];
}

void names_in_use::remove(const crd_names& names)
{
    const auto take = [](counts& from, const std::string& name) {
        const auto it = from.find(name);
        if (it != from.end() && --it->second == 0) from.erase(it);
    };
    for (const auto& name : names.resources) take(resources_, name);
    for (const auto& name : names.kinds) take(kinds_, name);
}

} // namespace kubecoro::apiserver
