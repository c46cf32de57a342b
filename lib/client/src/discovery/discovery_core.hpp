#pragma once
// Converts discovery documents to resources, and a user's word to one of them. Decides when a kept list is read again. Sans-io.

#include <kubecoro/api/object.hpp>
#include <kubecoro/client/discovery.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Whether the document is aggregated: it lists the resources of whole groups.
[[nodiscard]] bool is_aggregated(const object& document) noexcept;
/// The resources of an APIGroupDiscoveryList; versions that the server calls stale are missing. Errors: cond::corrupt
/// when it is not one.
[[nodiscard]] result<discovered_resources> read_aggregated(const object& document);

/// The groups and versions of an APIVersions (/api) or APIGroupList (/apis), preferred versions first.
/// Errors: cond::corrupt when it is neither.
[[nodiscard]] result<std::vector<group_version>> read_group_versions(const object& document);
/// The resources of an APIResourceList. Errors: cond::corrupt when it is not one.
[[nodiscard]] result<std::vector<discovered_resource>> read_resource_list(const object& document,
                                                                          const group_version& of);

/** The resources that match a word, one of each group, in the order of `all`: by plural or singular, else by short name,
    else by kind; case-insensitive.

    "a.b.c" is tried as version b of group c, then as group b.c, then as the beginning of a group's name, as in
    kubectl.
    @par Errors  cond::not_found with similar names and the groups that are missing; cond::invalid for an empty word, and
                 for the beginning of several groups' names. */
[[nodiscard]] result<std::vector<resource_type>> matching_resources(const discovered_resources& all,
                                                                    std::string_view word);
/// The first of them.
[[nodiscard]] result<resource_type> pick_resource(const discovered_resources& all, std::string_view word);
/// The resource of a kind. Errors: cond::not_found.
[[nodiscard]] result<resource_type> pick_kind(const discovered_resources& all, std::string_view api_version,
                                              std::string_view kind);
/// The resources of a category, each in its preferred version.
[[nodiscard]] std::vector<resource_type> members_of(const discovered_resources& all, std::string_view category);

/// Reads a server's version. Errors: cond::corrupt for anything else.
[[nodiscard]] result<server_version> read_version(std::string_view body);
/// Reads the index of OpenAPI v3. Errors: cond::corrupt for anything else, and for targets outside /openapi/v3.
[[nodiscard]] result<std::vector<openapi_document>> read_openapi_index(std::string_view body);

/// A list of resources and when it was read. Not thread safe.
class discovery_cache_core
{
public:
    using list = std::shared_ptr<const discovered_resources>;

    /// The list; null: it has to be read.
    [[nodiscard]] list current(time_point now) const noexcept;
    /// A name was not in a list. True: read it again.
    [[nodiscard]] bool may_read_after_miss(time_point now) const noexcept;
    /// A read has begun.
    void on_begin(time_point now) noexcept;
    /// It has ended. A list that was asked for before invalidate() is not kept.
    void on_read(list found, time_point now) noexcept;
    void invalidate() noexcept;

private:
    list list_;
    time_point read_at_{};
    time_point tried_at_{};
    bool invalidated_ = false;
};

} // namespace kubecoro::detail
