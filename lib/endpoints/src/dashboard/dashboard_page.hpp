// The dashboard's page: one text, which loads nothing.
#pragma once

#include <memory>
#include <string>

namespace kubecoro::detail {

struct dashboard_page
{
    std::string html;
    /// The policy that permits the page's own style and script, by their hashes, and nothing else.
    std::string policy;
    /// `html` as gzip: compressed once, because anyone may ask for it.
    std::shared_ptr<const std::string> compressed = {};
};

/// Made at the first call. Thread safe.
[[nodiscard]] const dashboard_page& the_dashboard_page();

} // namespace kubecoro::detail
