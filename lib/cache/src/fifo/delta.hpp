#pragma once
// What a reflector hands to its informer: one change, one whole list, or a mark between them.

#include <kubecoro/api/object.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::detail {

enum class delta_type
{
    added,
    updated,
    deleted,
    /// A LIST: everything the scope holds. Applied as one.
    replaced_all,
    /// Shows the stored objects again to one handler.
    sync_all,
    /// Everything up to a resource version has been seen.
    version
};

/// The content of a replaced_all.
struct replacement
{
    std::vector<object> items;
    /// The first list of its scope.
    bool initial = false;
};

struct delta
{
    delta_type type = delta_type::added;
    /// added, updated, deleted: the object.
    object obj = {};
    /// replaced_all, version: which reflector's.
    std::size_t scope = 0;
    /// replaced_all, version: the version reached.
    std::string resource_version = {};
    /// replaced_all.
    std::shared_ptr<replacement> all = {};
    /// sync_all: the handler.
    std::uint64_t target = 0;
};

} // namespace kubecoro::detail
