// Combines the pages of a table.
#pragma once

#include <kubecoro/api/options.hpp>
#include <kubecoro/base/failure.hpp>
#include <kubecoro/client/table.hpp>

#include <cstdint>
#include <optional>

namespace kubecoro::tool {

/** Follows the rules of client::list_all(): a list whose pages expired is read again, whole and once; pages that do not end
    are refused. */
class table_pages
{
public:
    /// As kubectl; a page of pods takes a server about 0.1 s.
    static constexpr std::uint32_t page_size = 500;
    static constexpr std::uint32_t max_pages = 20'000;

    explicit table_pages(list_options options);

    /// The page to ask for next; nothing at the end.
    [[nodiscard]] std::optional<list_options> next() const;
    /// @return the failure to end with.
    [[nodiscard]] std::optional<failure> on_page(table page);
    /// @return the failure to end with, or nothing if next() says how to go on.
    [[nodiscard]] std::optional<failure> on_failure(const failure& why);

    [[nodiscard]] const table& so_far() const noexcept { return collected_; }
    [[nodiscard]] table take() && { return std::move(collected_); }

private:
    list_options next_;
    table collected_;
    std::uint32_t pages_ = 0;
    bool done_ = false;
};

} // namespace kubecoro::tool
