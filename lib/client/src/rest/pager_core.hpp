#pragma once
// Combines the pages of a list. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/detail/page_chain.hpp>

#include <optional>
#include <utility>

namespace kubecoro::detail {

/** Follows a page_chain. The result has the first page's version. */
class pager_core
{
public:
    static constexpr std::uint32_t max_pages = page_chain::max_pages;

    explicit pager_core(list_options options) : chain_(std::move(options)) {}

    /// The next page to request, or nothing when result() is complete.
    [[nodiscard]] std::optional<list_options> next() const { return chain_.next(); }
    /// @return the failure to end with when the server's pages are cyclic or endless.
    [[nodiscard]] std::optional<failure> on_page(list_page page);
    /// @return the failure to end with, or nothing when next() gives the request to continue with.
    [[nodiscard]] std::optional<failure> on_failure(failure f);
    [[nodiscard]] list_page result() && { return std::move(collected_); }

private:
    page_chain chain_;
    list_page collected_;
};

} // namespace kubecoro::detail
