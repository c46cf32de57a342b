#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>
#include <kubecoro/client/manifests.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {

namespace json = boost::json;

namespace {

/// Servers leave kind and apiVersion out of the items of a typed list, such as a ConfigMapList; kubectl takes those of the list.
void take_type_of_list(json::value& item, std::string_view api_version, std::string_view kind)
{
    auto* members = item.if_object();
    if (!members || kind.empty() || !detail::text_in(item, "kind").empty() ||
        !detail::text_in(item, "apiVersion").empty())
        return;
    (*members)["kind"] = json::string_view(kind.data(), kind.size());
    (*members)["apiVersion"] = json::string_view(api_version.data(), api_version.size());
}

void unfold(json::value document, std::vector<json::value>& out)
{
    auto* members = document.if_object();
    auto* items = members ? members->if_contains("items") : nullptr;
    if (items && items->is_array() && detail::text_in(document, "kind").ends_with("List")) {
        const auto api_version = detail::text_in(document, "apiVersion");
        auto kind = detail::text_in(document, "kind");
        kind.remove_suffix(std::string_view("List").size());
        for (auto& item : items->get_array()) {
            take_type_of_list(item, api_version, kind);
            unfold(std::move(item), out);
        }
        return;
    }
    out.push_back(std::move(document));
}

/// CustomResourceDefinitions first, then namespaces, then the rest.
int rank(const json::value& object)
{
    const auto kind = detail::text_in(object, "kind");
    const auto group = group_version::parse(detail::text_in(object, "apiVersion")).group;
    if (kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io") return 0;
    return kind == "Namespace" && group.empty() ? 1 : 2;
}

} // namespace

result<std::vector<json::value>> parse_documents(std::string_view text, std::string_view name)
{
    auto documents = detail::read_documents(text);
    if (!documents) return failure(cond::invalid, std::string(name) + ": " + documents.error());
    return std::move(*documents);
}

result<std::vector<json::value>> load_manifests(std::string_view text, std::string_view name)
{
    auto documents = parse_documents(text, name);
    if (!documents) return documents.error();
    std::vector<json::value> objects;
    for (std::size_t i = 0; i < documents->size(); ++i) {
        const auto first = objects.size();
        unfold(std::move((*documents)[i]), objects);
        for (auto at = first; at < objects.size(); ++at)
            if (detail::text_in(objects[at], "kind").empty() || detail::text_in(objects[at], "apiVersion").empty())
                return failure(cond::invalid, std::string(name) + ", document " + std::to_string(i + 1) +
                                                  ": an object without kind or apiVersion");
    }
    return objects;
}

std::vector<json::value> unfold_lists(std::vector<json::value> documents)
{
    std::vector<json::value> out;
    for (auto& document : documents) unfold(std::move(document), out);
    return out;
}

void order_manifests(std::vector<json::value>& objects)
{
    std::stable_sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

} // namespace kubecoro
