#pragma once
// Combines the pages of a list. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/failure.hpp>

#include <optional>

namespace kubecoro::detail {

/** Follows the rules of client-go's pager: later pages carry the token and neither version nor match; the result has
    the first page's version; an expired chain is replaced by one full list at the original version. */
class pager_core
{
public:
    static constexpr std::uint32_t default_page_size = 500;
    /// Ten million objects in pages of the default size; a longer list is considered endless.
    static constexpr std::uint32_t max_pages = 20'000;

    explicit pager_core(list_options options);

    /// The next page to request, or nothing when result() is complete.
    [[nodiscard]] std::optional<list_options> next() const;
    /// @return the failure to end with when the server's pages are cyclic or endless.
    [[nodiscard]] std::optional<failure> on_page(list_page page);
    /// @return the failure to end with, or nothing when next() gives the request to continue with.
    [[nodiscard]] std::optional<failure> on_failure(failure f);
    [[nodiscard]] list_page result() && { return std::move(collected_); }

private:
    list_options original_;
    list_page collected_;
    std::uint32_t pages_ = 0;
    bool first_ = true;
    bool whole_ = false;
    bool done_ = false;
};

} // namespace kubecoro::detail
