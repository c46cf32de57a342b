#include "select/table_pages.hpp"

#include "print/server_table.hpp"

#include <string>
#include <utility>

namespace kubecoro::tool {

table_pages::table_pages(list_options options) : next_(std::move(options)) { next_.limit = page_size; }

std::optional<list_options> table_pages::next() const { return done_ ? std::nullopt : std::optional(next_); }

std::optional<failure> table_pages::on_page(table page)
{
    auto token = page.continue_token;
    if (!token.empty() && token == next_.continue_token)
        return failure(cond::corrupt, "the server returned a page with the continue token of the previous one");
    if (!token.empty() && ++pages_ > max_pages)
        return failure(cond::corrupt, "the list has more than " + std::to_string(max_pages) + " pages");
    append(collected_, std::move(page));
    done_ = token.empty();
    next_.continue_token = std::move(token);
    return std::nullopt;
}

std::optional<failure> table_pages::on_failure(const failure& why)
{
    if (next_.continue_token.empty() || why != cond::expired) return why;
    collected_ = {};
    next_.continue_token.clear();
    next_.limit = 0;
    return std::nullopt;
}

} // namespace kubecoro::tool
