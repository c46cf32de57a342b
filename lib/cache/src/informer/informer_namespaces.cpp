// Changes of an informer's namespaces.
#include "informer/informer_engine.hpp"

#include "informer/namespace_change.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <compare>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> refused(failure why) { co_return why; }

/// Calls `f`, and returns its result. Its exception is the outcome of the change as well.
template<class F>
bool outcome_of(namespace_change& change, const lane_set& lanes, F f)
{
    try {
        return f();
    } catch (...) {
        change.made(lanes, to_failure(std::current_exception()));
        throw;
    }
}

} // namespace

asio::awaitable<result<>> informer_engine::set_namespaces(std::vector<std::string> namespaces)
{
    // The empty name: any may leave.
    auto named = namespaces;
    named.emplace_back();
    return change_namespaces(named, namespaces, [&](namespaces_core& wanted) { wanted.set(namespaces); });
}

asio::awaitable<result<>> informer_engine::add_namespace(const std::string& ns)
{
    return change_namespaces({ns}, {ns}, [&](namespaces_core& wanted) { wanted.add(ns); });
}

asio::awaitable<result<>> informer_engine::remove_namespace(const std::string& ns)
{
    return change_namespaces({ns}, {}, [&](namespaces_core& wanted) { wanted.remove(ns); });
}

asio::awaitable<result<>> informer_engine::change_namespaces(const std::vector<std::string>& named,
                                                             std::vector<std::string> join,
                                                             const std::function<void(namespaces_core&)>& change)
{
    const bool any = std::any_of(named.begin(), named.end(), [](const std::string& ns) { return !ns.empty(); });
    if (any && !settings_.resource.namespaced)
        return refused(failure(cond::misconfigured, settings_.resource.display_name() + " are cluster-scoped"));
    if (const auto wanted = lanes_.want(named, change); !wanted) return refused(wanted.error());
    const bool is_one = named.size() == 1 && !named.front().empty();
    auto begun =
        std::make_shared<namespace_change>(std::move(join), is_one ? std::optional(named.front()) : std::nullopt);
    auto waiting = namespace_change::wait(begun);
    on_strand([self = shared_from_this(), begun = std::move(begun)] {
        outcome_of(*begun, self->lanes_, [&] { return self->settle_lanes(begun); });
    });
    return waiting;
}

bool informer_engine::settle_lanes(const std::shared_ptr<namespace_change>& begun)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    auto change = lanes_.due();
    if (!change) {
        begun->made(lanes_, change.error());
        return false;
    }
    // Objects that stay covered are already stored: a list from an older state would revert them.
    const bool all_joins = !change->join.empty() && change->join.front().empty();
    const bool all_leaves = !change->leave.empty() && change->leave.front().empty();
    auto not_before = all_joins || all_leaves ? newest_stored() : std::string();
    for (const auto& ns : change->leave) lanes_.remove(ns);
    const auto finish = [this, begun, change = *change, not_before = std::move(not_before)] {
        add_lanes(change, not_before);
        begun->made(lanes_, {});
        return false;
    };
    if (change->leave.empty()) return finish();
    turns_.work([this, begun, finish, take_out = processor_.take_out(change->leave)] {
        return outcome_of(*begun, lanes_, [&] { return take_out() || finish(); });
    });
    return true;
}

void informer_engine::add_lanes(const namespaces_core::change& change, const std::string& not_before)
{
    for (const auto& ns : change.join) lanes_.add(ns, not_before);
    // After adding: waits for a version of a namespace that stays covered move to the new lane.
    for (const auto& ns : change.leave) store_->versions()->remove_lane(ns);
    lanes_.settled();
    sync_.tell_blocked();
    sync_.settle(fifo_.synced(), store_->size());
}

std::string informer_engine::newest_stored() const
{
    std::string newest = lanes_.version();
    const auto& unmarked = processor_.newest_unmarked();
    if (!unmarked.empty() && is_comparable_version(newest) && std::is_lt(compare_versions(newest, unmarked)))
        newest = unmarked;
    return newest;
}

} // namespace kubecoro::detail
