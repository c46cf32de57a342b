#include "rest/list_check.hpp"

#include <kubecoro/base/printable.hpp>

namespace kubecoro::detail {

namespace {

constexpr std::size_t shown_name = 100;

/// True for groups defined by Kubernetes itself.
bool is_builtin(std::string_view group) { return group.find('.') == group.npos || group.ends_with(".k8s.io"); }

bool is_named_after(std::string_view list, std::string_view kind)
{
    if (kind.empty()) return list.ends_with("List");
    return list.starts_with(kind) && list.substr(kind.size()) == "List";
}

std::string words(std::string_view api_version, std::string_view kind)
{
    if (kind.empty()) return "no kind";
    return printable(api_version, shown_name) + " " + printable(kind, shown_name);
}

} // namespace

result<> check_list(const list_page& page, const resource_type& asked, bool metadata_only)
{
    if (metadata_only && page.kind == "PartialObjectMetadataList" && page.api_version == "meta.k8s.io/v1") return {};
    const bool right_kind = is_named_after(page.kind, asked.kind) || (!is_builtin(asked.group) && !page.kind.empty());
    if (right_kind && page.api_version == asked.api_version()) return {};
    return failure(cond::corrupt, "the response is " + words(page.api_version, page.kind) + " and not " +
                                      words(asked.api_version(), asked.kind.empty() ? "List" : asked.kind + "List"));
}

result<> check_list_version(const list_page& page)
{
    if (!page.resource_version.empty()) return {};
    return failure(cond::corrupt, "the list has no resourceVersion, so no watch can start from it");
}

} // namespace kubecoro::detail
