#include "rest/pager_core.hpp"

#include <iterator>
#include <utility>

namespace kubecoro::detail {

std::optional<failure> pager_core::on_page(list_page page)
{
    const bool first = chain_.is_at_start();
    if (auto end = chain_.on_page(page.continue_token)) return end;
    if (first) {
        collected_ = std::move(page);
        return std::nullopt;
    }
    if (!page.items.empty() && !collected_.items.empty() && page.items.front().key() == collected_.items.front().key())
        return failure(cond::corrupt, "the server restarted the list instead of continuing it");
    collected_.items.insert(collected_.items.end(), std::make_move_iterator(page.items.begin()),
                            std::make_move_iterator(page.items.end()));
    collected_.left_out.insert(collected_.left_out.end(), std::make_move_iterator(page.left_out.begin()),
                               std::make_move_iterator(page.left_out.end()));
    collected_.continue_token = std::move(page.continue_token);
    collected_.remaining = page.remaining;
    return std::nullopt;
}

std::optional<failure> pager_core::on_failure(failure f)
{
    auto end = chain_.on_failure(std::move(f));
    if (!end) collected_ = {};
    return end;
}

} // namespace kubecoro::detail
