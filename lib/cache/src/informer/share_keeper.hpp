#pragma once

#include "informer/delta_processor.hpp"
#include "informer/lane_set.hpp"

#include <kubecoro/cache/detail/object_share.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** Makes an informer follow its share: what leaves the share leaves the store, and what comes is listed. Confined to the
    informer's strand. */
class share_keeper
{
public:
    /// @param follower  Null for an informer without a share.
    share_keeper(const informer_settings& s, lane_set& lanes, delta_processor& processor,
                 std::shared_ptr<share_follower> follower);
    share_keeper(const share_keeper&) = delete;
    share_keeper& operator=(const share_keeper&) = delete;
    ~share_keeper() { give_up(); }

    /// Follows the share until cancelled, whatever throws.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    void ask_for_lists();
    void note_shown();
    /// The share waits for this informer no longer.
    void give_up() noexcept;

    const informer_settings& settings_;
    lane_set& lanes_;
    delta_processor& processor_;
    const std::shared_ptr<share_follower> follower_;
    /// The gains of the share for which lists were asked.
    std::uint64_t asked_ = 0;
};

} // namespace kubecoro::detail
