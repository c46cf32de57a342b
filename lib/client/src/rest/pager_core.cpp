#include "rest/pager_core.hpp"

#include <iterator>

namespace kubecoro::detail {

page_chain::page_chain(list_options options) : original_(std::move(options))
{
    if (original_.limit == 0) original_.limit = default_page_size;
    // With a limit alone the server returns exactly that version, however old it is.
    const bool any_version = original_.resource_version.empty() || original_.resource_version == "0";
    if (!any_version && original_.continue_token.empty() && original_.match == version_match::unset)
        original_.match = version_match::not_older_than;
}

std::optional<list_options> page_chain::next() const
{
    if (done_) return std::nullopt;
    auto o = original_;
    if (whole_) {
        o.limit = 0;
        o.continue_token.clear();
    }
    if (!first_) {
        o.resource_version.clear();
        o.match = version_match::unset;
        o.continue_token = token_;
    }
    return o;
}

std::optional<failure> page_chain::on_page(std::string continue_token)
{
    const bool more = !continue_token.empty();
    if (more)
        if (const char* const why = tokens_.endless(continue_token); why != nullptr) return failure(cond::corrupt, why);
    done_ = !more;
    first_ = false;
    token_ = std::move(continue_token);
    return std::nullopt;
}

std::optional<failure> page_chain::on_failure(failure f)
{
    if (first_ || whole_ || f.condition() != cond::expired) return f;
    first_ = true;
    whole_ = true;
    tokens_ = {};
    return std::nullopt;
}

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
