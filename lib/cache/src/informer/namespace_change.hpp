#pragma once

#include "informer/lane_set.hpp"
#include "store/sync_gate.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The waits of a change of the namespaces. Filled in on the informer's strand, awaited on any thread.
class namespace_change
{
public:
    /// @param join   The namespaces whose objects it waits for.
    /// @param alone  It waits for the reflector of this leaving namespace alone; nothing = for all that leave.
    namespace_change(std::vector<std::string> join, std::optional<std::string> alone)
        : join_(std::move(join)), alone_(std::move(alone))
    {
    }
    ~namespace_change() { made_.settle(failure(cond::cancelled, "the informer's context has ended")); }
    namespace_change(const namespace_change&) = delete;
    namespace_change& operator=(const namespace_change&) = delete;

    /// The lanes were changed, or not. Fails the wait when a namespace was removed again in the meantime.
    void made(const lane_set& lanes, const result<>& outcome);
    /// Completes when the joining namespaces have synced and the reflectors of the leaving ones have ended. `change` is
    /// dropped at once: if no other owner is left before made(), the wait ends with cond::cancelled.
    [[nodiscard]] static boost::asio::awaitable<result<>> wait(const std::shared_ptr<namespace_change>& change);

private:
    struct waits
    {
        std::vector<std::pair<std::string, sync_gate>> joined;
        std::vector<latch> left;
    };
    [[nodiscard]] result<> collect(const lane_set& lanes);
    [[nodiscard]] static boost::asio::awaitable<result<>> wait(latch made, std::shared_ptr<waits> all);

    const std::vector<std::string> join_;
    const std::optional<std::string> alone_;
    const latch made_;
    const std::shared_ptr<waits> waits_ = std::make_shared<waits>();
};

} // namespace kubecoro::detail
