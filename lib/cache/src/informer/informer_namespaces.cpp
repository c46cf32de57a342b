// Changes of an informer's namespaces.
#include "informer/informer_engine.hpp"

#include "informer/namespace_change.hpp"

#include <kubecoro/api/resource_version.hpp>
#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>
#include <compare>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> refused(failure why) { co_return why; }

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
        result<> settled;
        try {
            settled = self->settle_lanes();
        } catch (...) {
            settled = to_failure(std::current_exception());
        }
        begun->made(self->lanes_, settled);
    });
    return waiting;
}

result<> informer_engine::settle_lanes()
{
    auto change = lanes_.due();
    if (!change) return change.error();
    if (change->leave.empty() && change->join.empty() && leaving_.empty()) {
        lanes_.settled();
        return {};
    }
    // Objects that stay covered are already stored: a list from an older state would revert them.
    const bool all_joins = !change->join.empty() && change->join.front().empty();
    const bool all_leaves = !change->leave.empty() && change->leave.front().empty();
    const std::string not_before = all_joins || all_leaves ? newest_stored() : std::string();
    leaving_.insert(change->leave.begin(), change->leave.end());
    for (const auto& ns : change->leave) lanes_.remove(ns);
    if (!leaving_.empty()) processor_.take_out(leaving_);
    for (auto& ns : change->join) lanes_.add(std::move(ns), not_before);
    // After adding: waits for a version of a namespace that stays covered move to the new lane.
    for (const auto& ns : leaving_)
        if (lanes_.of(ns) == nullptr) store_->versions()->remove_lane(ns);
    leaving_.clear();
    lanes_.settled();
    sync_.tell_blocked();
    sync_.settle(fifo_.synced(), store_->size());
    return {};
}

std::string informer_engine::newest_stored() const
{
    std::string newest = lanes_.version();
    store_->visit({}, [&newest](const object& o) {
        if (is_comparable_version(newest) && is_comparable_version(o.resource_version()) &&
            std::is_lt(compare_versions(newest, o.resource_version())))
            newest = o.resource_version();
    });
    return newest;
}

} // namespace kubecoro::detail
