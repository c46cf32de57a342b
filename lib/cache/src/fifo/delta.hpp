#pragma once
// The elements of the delta FIFO: one change, one whole list, or a mark between them.

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
    /// A LIST: the complete content of the scope. Applied as a whole.
    replaced_all,
    /// Delivers the stored objects again to one handler.
    sync_all,
    /// Every change up to a resource version has been pushed.
    version
};

/// The content of a replaced_all.
struct replacement
{
    std::vector<object> items;
    /// True for the first list of its scope.
    bool initial = false;
};

struct delta
{
    delta_type type = delta_type::added;
    /// added, updated, deleted: the object.
    object obj = {};
    /// replaced_all, version: the scope, that is, the reflector.
    std::size_t scope = 0;
    /// replaced_all, version: the version reached.
    std::string resource_version = {};
    /// replaced_all: the list.
    std::shared_ptr<replacement> all = {};
    /// sync_all: the handler.
    std::uint64_t target = 0;
};

} // namespace kubecoro::detail
