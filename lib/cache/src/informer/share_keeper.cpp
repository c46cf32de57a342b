#include "informer/share_keeper.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

share_keeper::share_keeper(const informer_settings& s, lane_set& lanes, delta_processor& processor,
                           std::shared_ptr<share_follower> follower)
    : settings_(s), lanes_(lanes), processor_(processor), follower_(std::move(follower))
{
    if (!follower_) return;
    settings_.options.share->add(follower_);
    asked_ = settings_.options.share->gains(); // the first lists begin later
}

asio::awaitable<result<>> share_keeper::run()
{
    KUBECORO_EXPECT(follower_);
    const struct mark
    {
        share_keeper& keeper;
        ~mark() { keeper.give_up(); }
    } ends{*this};
    for (;;) {
        if (const auto woken = co_await follower_->news.wait(); !woken) co_return woken;
        ask_for_lists();
        if (const auto swept = co_await processor_.sweep(); !swept) co_return swept;
        note_shown();
    }
}

void share_keeper::ask_for_lists()
{
    const auto gains = settings_.options.share->gains();
    if (std::exchange(asked_, gains) == gains) return;
    for (const auto& l : lanes_.all()) informer_lane::list_again(l);
}

void share_keeper::note_shown()
{
    auto shown = settings_.options.share->gains();
    // There is nothing to show of a kind that is not served.
    for (const auto& l : lanes_.all())
        if (l->current().state != informer_state::parked) shown = std::min(shown, l->shown_gains());
    if (follower_->shown.exchange(shown) != shown) settings_.options.share->shown();
}

void share_keeper::give_up() noexcept
{
    constexpr auto all = std::numeric_limits<std::uint64_t>::max();
    if (!follower_ || follower_->shown.exchange(all) == all) return;
    try {
        settings_.options.share->shown();
    } catch (...) { // a destructor calls this; the next change of the share brings it
    }
}

} // namespace kubecoro::detail
