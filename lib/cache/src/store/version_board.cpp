#include "store/version_board.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

failure not_covered(std::string_view ns)
{
    return failure(cond::misconfigured, "the informer does not watch namespace '" + std::string(ns) + "'");
}

} // namespace

void version_board::add_lane(std::string_view ns, sync_gate gate)
{
    std::lock_guard lock(mutex_);
    core_.add_lane(ns);
    gates_.insert_or_assign(std::string(ns), std::move(gate));
}

void version_board::remove_lane(std::string_view ns)
{
    std::vector<version_core::ticket> due;
    {
        std::lock_guard lock(mutex_);
        due = core_.remove_lane(ns);
        if (const auto gate = gates_.find(ns); gate != gates_.end()) gates_.erase(gate);
    }
    wake(due, not_covered(ns));
}

void version_board::reach(std::string_view lane, const sync_gate& gate, std::string_view version,
                          std::span<const delta> by)
{
    std::vector<version_core::ticket> due;
    {
        std::lock_guard lock(mutex_);
        if (const auto own = gates_.find(lane); own == gates_.end() || own->second != gate) return;
        due.reserve(latches_.size()); // a wait that has left the core must be woken
        if (!is_comparable_version(version))
            for (const auto& d : by) {
                const auto passed = core_.pass(lane, d.obj.resource_version());
                due.insert(due.end(), passed.begin(), passed.end());
            }
        const auto reached = core_.reach(lane, version);
        due.insert(due.end(), reached.begin(), reached.end());
    }
    wake(due, {});
}

void version_board::close(const failure& why)
{
    std::unordered_map<version_core::ticket, latch> open;
    {
        std::lock_guard lock(mutex_);
        if (!closed_) closed_ = why;
        open.swap(latches_);
        for (const auto& [t, l] : open) core_.leave(t);
    }
    for (const auto& [t, l] : open) l.settle(why);
}

/// Without memory of its own: the core no longer knows of these waits.
void version_board::wake(const std::vector<version_core::ticket>& due, const result<>& outcome)
{
    for (const auto t : due) {
        const auto waiting = [&] {
            std::lock_guard lock(mutex_);
            return latches_.extract(t);
        }();
        if (waiting) waiting.mapped().settle(outcome);
    }
}

bool version_board::covers(std::string_view ns) const
{
    std::lock_guard lock(mutex_);
    return core_.covers(ns);
}

bool version_board::reached(std::string_view ns, std::string_view wanted) const
{
    std::lock_guard lock(mutex_);
    return core_.reached(ns, wanted);
}

std::vector<std::string> version_board::lanes() const
{
    std::lock_guard lock(mutex_);
    return core_.lanes();
}

std::size_t version_board::waiting() const
{
    std::lock_guard lock(mutex_);
    return latches_.size();
}

std::optional<sync_gate> version_board::filling(std::string_view ns) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (core_.reached(ns, {})) return std::nullopt;
    auto at = gates_.find(ns);
    if (at == gates_.end()) at = gates_.find(std::string_view{});
    return at == gates_.end() ? std::nullopt : std::optional(at->second);
}

asio::awaitable<result<>> version_board::wait(std::shared_ptr<const version_board> self, std::string ns,
                                              std::string wanted)
{
    for (;;) {
        KUBECORO_TRY(const auto reached, co_await wait_on_lane(self, ns, wanted));
        if (reached) co_return result<>{};
    }
}

asio::awaitable<result<bool>> version_board::wait_on_lane(std::shared_ptr<const version_board> self,
                                                          const std::string& ns, const std::string& wanted)
{
    struct enrolment
    {
        const version_board& board;
        version_core::ticket ticket = 0;
        ~enrolment()
        {
            if (ticket == 0) return;
            std::lock_guard lock(board.mutex_);
            board.core_.leave(ticket);
            board.latches_.erase(ticket);
        }
    };
    std::optional<sync_gate> gate;
    {
        std::lock_guard lock(self->mutex_);
        gate = self->filling(ns);
    }
    // Before the first list, only the gate knows whether a list will succeed.
    if (gate) {
        if (const auto filled = co_await gate->wait(); !filled) co_return filled.error();
    }
    enrolment e{*self};
    const latch l;
    {
        std::lock_guard lock(self->mutex_);
        if (self->core_.reached(ns, wanted)) co_return true;
        if (!self->core_.covers(ns)) co_return not_covered(ns);
        if (self->closed_) co_return *self->closed_;
        e.ticket = self->core_.wait(ns, wanted);
        self->latches_.emplace(e.ticket, l);
    }
    const auto woken = co_await l.wait();
    if (woken) co_return true;
    // Another lane may cover the namespace now; if none does, the next round fails.
    if (woken.error() == cond::misconfigured) co_return false;
    co_return woken.error();
}

} // namespace kubecoro::detail
