#include "rest/pager_core.hpp"

#include <iterator>
#include <string>
#include <utility>

namespace kubecoro::detail {

pager_core::pager_core(list_options options) : original_(std::move(options))
{
    if (original_.limit == 0) original_.limit = default_page_size;
}

std::optional<list_options> pager_core::next() const
{
    if (done_) return std::nullopt;
    auto o = original_;
    if (whole_) {
        o.limit = 0;
        o.continue_token.clear();
    } else if (!first_) {
        o.resource_version.clear();
        o.match = version_match::unset;
        o.continue_token = collected_.continue_token;
    }
    return o;
}

std::optional<failure> pager_core::on_page(list_page page)
{
    const bool more = !page.continue_token.empty();
    if (more && ++pages_ > max_pages)
        return failure(cond::corrupt, "the list has more than " + std::to_string(max_pages) + " pages");
    if (more && !first_ && page.continue_token == collected_.continue_token)
        return failure(cond::corrupt, "the server returned a page with the continue token of the previous one");
    if (!first_ && !page.items.empty() && !collected_.items.empty() &&
        page.items.front().key() == collected_.items.front().key())
        return failure(cond::corrupt, "the server restarted the list instead of continuing it");
    done_ = page.continue_token.empty();
    if (std::exchange(first_, false)) {
        collected_ = std::move(page);
        return std::nullopt;
    }
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
    if (first_ || whole_ || f.condition() != cond::expired) return f;
    collected_ = {};
    first_ = true;
    whole_ = true;
    return std::nullopt;
}

} // namespace kubecoro::detail
