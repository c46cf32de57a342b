// Numbers the requests of a run, records them, and lets the faults of its plan happen at them.
#pragma once

#include "plan/run_plan_core.hpp"
#include "world/wire.hpp"
#include "world/world.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

class fault_injector final : public traffic_master
{
public:
    /// @param w  Outlives the injector's last call.
    fault_injector(const scenario& about, run_plan plan, world& w);

    /// Every request that the server has answered, in order.
    [[nodiscard]] const std::vector<traffic>& answered() const noexcept { return answered_; }
    /// Requests that were counted.
    [[nodiscard]] std::size_t requests() const noexcept { return count_; }
    /// Those that were sent while no event was kept from the operator, which may go round as long as it cannot know better.
    [[nodiscard]] std::size_t informed_requests() const noexcept { return informed_; }
    /// The last time at which something was written, or at which the operator saw an event.
    [[nodiscard]] time_point last_news() const noexcept { return news_; }
    /// Whether a fault is in progress that will end by itself.
    [[nodiscard]] bool is_busy() const;
    /// Begins a fault of the settled state.
    void act(const planned_fault& f);
    /// While off, no fault begins.
    void enable(bool on) noexcept { enabled_ = on; }
    /// From now on no user creates anything.
    void end_creation() noexcept { creates_ = false; }
    /// A user has written.
    void has_news();
    /// Objects that the operator has created and that another user may delete, by key, with their paths.
    [[nodiscard]] const std::map<std::string, std::string>& children() const noexcept { return children_; }
    /// Keys that the operator has deleted without having created them.
    [[nodiscard]] const std::set<std::string>& wrongly_deleted() const noexcept { return wrongly_deleted_; }

    void leaves(traffic& t, planned_answer& made_up) override;
    boost::asio::awaitable<void> arrives(const traffic& t, request& r) override;
    void is_answered(const traffic& t, std::string_view body) override;
    bool loses(const traffic& t, std::string_view event) override;
    boost::asio::awaitable<void> before_events() override;

private:
    /// Whether events are kept from the operator.
    [[nodiscard]] bool view_is_old() const;
    void apply(const planned_fault& f, traffic& t, planned_answer& made_up);
    /// Answers in the server's place, or breaks the connection; quotas and policies as far as the request is of their business.
    static void refuse(const planned_fault& f, traffic& t, planned_answer& made_up);
    void end_at_answer(const traffic& t);
    /// Keeps the holder of the Lease that the operator leads by.
    void note_lease(const traffic& t);
    [[nodiscard]] duration time_cut(const planned_fault& f) const;
    /// For the trace.
    [[nodiscard]] std::string name_of(const traffic& t) const;
    void note_write(const traffic& t, std::string_view body);
    void begin_stale_start(const planned_fault& f, unsigned life);
    void make_stale(const traffic& t, request& r) const;
    boost::asio::awaitable<void> delay(duration d);
    boost::asio::awaitable<result<>> meddle(planned_fault f, traffic t);
    boost::asio::awaitable<result<>> meddle_with_child(planned_fault f);
    boost::asio::awaitable<result<>> hold(std::string key, std::string path, duration lasts);
    /// Adds the finalizer of another writer, or takes it off.
    boost::asio::awaitable<result<>> set_finalizer(std::string path, bool there);
    boost::asio::awaitable<result<>> recreate(user_object which);
    boost::asio::awaitable<result<>> touch(std::string path, std::uint64_t draw);

    const scenario* about_;
    run_plan plan_;
    world* world_;
    std::size_t count_ = 0;
    std::size_t informed_ = 0;
    std::vector<traffic> answered_;
    /// Faults of requests that have left, by number.
    std::multimap<std::size_t, planned_fault> later_;
    std::map<std::string, std::string> children_;
    /// The bodies that created them.
    std::map<std::string, std::string> sent_;
    std::set<std::string> wrongly_deleted_;
    /// The holder of the Lease; empty = none.
    std::string holder_;
    std::vector<std::uint64_t> versions_;
    time_point news_;
    time_point events_held_until_;
    time_point cut_until_;
    std::optional<planned_fault> hides_;
    /// The last refusal, which goes on until then.
    planned_fault refusal_;
    time_point refused_until_;
    bool hidden_ = false;
    bool enabled_ = true;
    bool creates_ = true;
    std::size_t late_ = 0;
    std::uint64_t stale_version_ = 0;
    time_point stale_until_;
};

} // namespace kubecoro::testing::detail
