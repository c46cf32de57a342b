// Makes one page of a list at one version.
#pragma once

#include "request/list_query.hpp"
#include "request/selection.hpp"
#include "state/resource_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

struct list_page
{
    std::vector<stored> items;
    std::uint64_t version = 0;
    std::string continue_token;
    std::optional<std::size_t> remaining;
};

/// Errors: 400 (invalid version or token), 410 (too old), 504 (version in the future).
[[nodiscard]] answer<list_page> make_page(const resource_store& store, std::string_view ns, const list_query& query,
                                          const selection& selected);

} // namespace kubecoro::apiserver
