#pragma once
// Decides how the pages of a list follow each other. Sans-io.

#include <kubecoro/api/detail/continue_tokens.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::detail {

/** Follows the rules of client-go's pager: later pages carry the token and neither version nor match; an expired chain is
    replaced by one full list at the original version, once. */
class page_chain
{
public:
    static constexpr std::uint32_t default_page_size = 500;
    static constexpr std::uint32_t max_pages = continue_tokens::most;

    /// @param options  A limit of 0 becomes the default.
    explicit page_chain(list_options options);

    /// The next page to request, or nothing at the end.
    [[nodiscard]] std::optional<list_options> next() const;
    /// Whether no page of this chain has come: the next one begins the list.
    [[nodiscard]] bool is_at_start() const noexcept { return first_; }
    /// @param continue_token  That of the page; empty at the end.
    /// @return the failure to end with when the server's pages are cyclic or endless.
    [[nodiscard]] std::optional<failure> on_page(std::string continue_token);
    /// @return the failure to end with, or nothing when the list begins again, without the pages that have come.
    [[nodiscard]] std::optional<failure> on_failure(failure f);

private:
    list_options original_;
    std::string token_;
    continue_tokens tokens_;
    bool first_ = true;
    bool whole_ = false;
    bool done_ = false;
};

} // namespace kubecoro::detail
