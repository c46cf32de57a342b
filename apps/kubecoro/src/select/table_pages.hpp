// Combines the pages of a table.
#pragma once

#include <kubecoro/api/options.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/detail/page_chain.hpp>
#include <kubecoro/client/table.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace kubecoro::tool {

/** Follows the rules of client::list_all(): a list whose pages expired is read again, whole and once; pages that do not end
    are refused. */
class table_pages
{
public:
    /// As kubectl; a page of pods takes a server about 0.1 s.
    static constexpr std::uint32_t page_size = detail::page_chain::default_page_size;
    static constexpr std::uint32_t max_pages = detail::page_chain::max_pages;

    explicit table_pages(list_options options) : chain_(std::move(options)) {}

    /// The page to ask for next; nothing at the end.
    [[nodiscard]] std::optional<list_options> next() const { return chain_.next(); }
    /// @return the failure to end with.
    [[nodiscard]] std::optional<failure> on_page(table page);
    /// @return the failure to end with, or nothing if next() says how to go on.
    [[nodiscard]] std::optional<failure> on_failure(const failure& why);

    [[nodiscard]] const table& so_far() const noexcept { return collected_; }
    [[nodiscard]] table take() && { return std::move(collected_); }

private:
    detail::page_chain chain_;
    table collected_;
};

} // namespace kubecoro::tool
