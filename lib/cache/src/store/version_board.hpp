#pragma once

#include "store/sync_gate.hpp"
#include "store/version_core.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/delta_fifo.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** Wakes coroutines when the store has reached a version. Thread safe.

    Progress is reported after the store has changed, so woken coroutines see the change. */
class version_board
{
public:
    /// @param gate  Opens with the lane's first list, or has the reason why it failed.
    void add_lane(std::string_view ns, sync_gate gate);
    /// Its waits move to another lane that covers the namespace, or fail.
    void remove_lane(std::string_view ns);
    /// The store has everything of the lane up to `version`; `by` are the deltas that brought it there. Does nothing for
    /// a lane that was removed, which is known by its gate: another one may have its namespace.
    void reach(std::string_view lane, const sync_gate& gate, std::string_view version, std::span<const delta> by = {});
    /// Ends every wait: no version will be reached any more.
    void close(const failure& why);

    [[nodiscard]] bool covers(std::string_view ns) const;
    /// See version_core::reached().
    [[nodiscard]] bool reached(std::string_view ns, std::string_view wanted) const;
    [[nodiscard]] std::vector<std::string> lanes() const;
    [[nodiscard]] std::size_t waiting() const;

    /// Completes when the lane that covers `ns` has reached the version, at once if it already has.
    /// Errors: misconfigured without such a lane, the reason it cannot sync, cancelled.
    [[nodiscard]] static boost::asio::awaitable<result<>> wait(std::shared_ptr<const version_board> self,
                                                               std::string ns, std::string wanted);

private:
    void wake(const std::vector<version_core::ticket>& due, const result<>& outcome);

    /// Returns the gate of a lane that has not been listed.
    [[nodiscard]] std::optional<sync_gate> filling(std::string_view ns) const;
    /// Returns false when the lane was removed.
    [[nodiscard]] static boost::asio::awaitable<result<bool>>
    wait_on_lane(std::shared_ptr<const version_board> self, const std::string& ns, const std::string& wanted);

    mutable checked_mutex mutex_;
    mutable version_core core_;
    mutable std::unordered_map<version_core::ticket, latch> latches_;
    std::map<std::string, sync_gate, std::less<>> gates_;
    std::optional<failure> closed_;
};

} // namespace kubecoro::detail
