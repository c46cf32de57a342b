#pragma once
// Reads a list page by page. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/failure.hpp>

#include <optional>

namespace kubecoro::detail {

/** The rules of client-go's pager: later pages carry the token and neither version nor match; the result has
    the first page's version; a chain that the server forgot is replaced by one whole list with the original version. */
class pager_core
{
public:
    static constexpr std::uint32_t default_page_size = 500;
    /// Ten million objects in pages of the default size: a list that is longer has no end.
    static constexpr std::uint32_t max_pages = 20'000;

    explicit pager_core(list_options options);

    /// What to ask next, or nothing when result() is complete.
    [[nodiscard]] std::optional<list_options> next() const;
    /// @return the failure to end with when the server's pages go in circles or have no end.
    [[nodiscard]] std::optional<failure> on_page(list_page page);
    /// @return the failure to end with, or nothing when next() says how to go on.
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
