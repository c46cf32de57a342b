// Namespaces that are added to and removed from an informer.

#include "informer/informer_engine.hpp"
#include "waits/await_all.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

asio::awaitable<result<>> refused(failure why) { co_return why; }

asio::awaitable<result<>> run_to_its_end(const informer_lane& lane, result<>& outcome)
{
    auto running = catch_failure(lane.runs->run());
    outcome = co_await std::move(running);
    co_return result<>{};
}

} // namespace

/** The waits of a change of the namespaces; settled on the strand, awaited on any thread. */
struct informer_engine::lane_change
{
    latch made;
    std::vector<std::pair<std::string, sync_gate>> joined;
    std::vector<latch> left;
};

std::vector<std::string> informer_engine::namespaces() const
{
    std::lock_guard lock(mutex_);
    if (wanted_.covers("")) return {};
    const auto watched = wanted_.watched();
    return {watched.begin(), watched.end()};
}

bool informer_engine::covers_just(const namespaces_core& wanted) const
{
    std::lock_guard lock(mutex_);
    return wanted_ == wanted;
}

asio::awaitable<result<>> informer_engine::set_namespaces(std::vector<std::string> namespaces)
{
    return change_namespaces(namespaces, namespaces, [&](namespaces_core& wanted) { wanted.set(namespaces); });
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
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return refused(failure(cond::cancelled, "the informer has stopped"));
        change(wanted_);
    }
    const auto begun = std::make_shared<lane_change>();
    // Destroyed with the posted function, called or not: the context may end first.
    const std::shared_ptr<void> dropped(
        nullptr, [begun](void*) { begun->made.settle(failure(cond::cancelled, "the informer's context has ended")); });
    on_strand([self = shared_from_this(), join = std::move(join), begun, dropped] {
        const auto settled = self->settle_lanes();
        begun->made.settle(settled ? self->collect(join, *begun) : settled);
    });
    return await_change(begun);
}

asio::awaitable<result<>> informer_engine::await_change(std::shared_ptr<lane_change> change)
{
    auto making = catch_failure(change->made.wait());
    if (const auto made = co_await std::move(making); !made) co_return made;
    for (const auto& l : change->left) {
        auto leaving = catch_failure(l.wait());
        if (const auto left = co_await std::move(leaving); !left) co_return left;
    }
    std::vector<awaited> joining;
    joining.reserve(change->joined.size());
    for (const auto& [what, gate] : change->joined) joining.push_back({what, gate.wait()});
    auto syncing = catch_failure(await_all(std::move(joining)));
    co_return co_await std::move(syncing);
}

void informer_engine::retry_now()
{
    on_strand([self = shared_from_this()] {
        for (const auto& [id, l] : self->lanes_) l->runs->retry_now();
    });
}

// ---- on the strand

result<> informer_engine::settle_lanes()
{
    std::set<std::string> present;
    for (const auto& [id, l] : lanes_) present.insert(l->ns);
    namespaces_core::change change;
    {
        std::lock_guard lock(mutex_);
        change = wanted_.from(present);
        if (change.leave.empty() && change.join.empty()) return {};
        if (stopping_) return failure(cond::cancelled, "the informer has stopped");
    }
    pump(); // store everything received before the change
    // Objects that stay covered are already stored: a list from an older state would revert them.
    const bool overlap = present.contains("") || (!change.join.empty() && change.join.front().empty());
    const std::string not_before = overlap ? last_resource_version() : std::string();
    for (const auto& ns : change.leave) drop_lane(ns);
    for (auto& ns : change.join) add_lane(std::move(ns), not_before);
    // After adding: waits for a version of a namespace that stays covered move to the new lane.
    for (const auto& ns : change.leave) store_->versions()->remove_lane(ns);
    tell_blocked();
    settle_sync();
    return {};
}

result<> informer_engine::collect(const std::vector<std::string>& join, lane_change& out) const
{
    std::set<std::string> names(join.begin(), join.end());
    const bool joins = !names.empty();
    for (const auto& [id, l] : lanes_)
        if (names.erase(l->ns) != 0 || (l->ns.empty() && joins))
            out.joined.emplace_back(l->source->describe(), l->gate);
    const bool all = std::any_of(lanes_.begin(), lanes_.end(), [](const auto& l) { return l.second->ns.empty(); });
    if (!all && !names.empty())
        return failure(cond::cancelled, "namespace '" + *names.begin() + "' was removed before it was added");
    for (const auto& l : leaving_)
        if (const auto lane = l.lock()) out.left.push_back(lane->gone);
    return {};
}

void informer_engine::drop_lane(const std::string& ns)
{
    const auto at = std::find_if(lanes_.begin(), lanes_.end(), [&ns](const auto& l) { return l.second->ns == ns; });
    const auto lane = at->second;
    {
        std::lock_guard lock(mutex_);
        lanes_.erase(at);
        add(past_, lane->stats);
        past_.outdated = 0; // its outdated objects are removed with it
    }
    std::erase_if(leaving_, [](const auto& l) { return l.expired(); });
    leaving_.push_back(lane);
    fifo_.remove_scope(lane->id);
    lane->gate.close();
    lane->leave.settle({});
    announce_gone(take_out(ns), departure::namespace_left);
}

std::vector<notification> informer_engine::take_out(const std::string& ns)
{
    namespaces_core wanted({});
    {
        std::lock_guard lock(mutex_);
        wanted = wanted_;
    }
    std::vector<notification> gone;
    for (const auto& stored : store_->namespaces()) {
        if (wanted.covers(stored) || (!ns.empty() && stored != ns)) continue;
        auto some = store_->replace(stored, {}, false);
        gone.insert(gone.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return gone;
}

void informer_engine::add_lane(std::string ns, std::string not_before)
{
    std::shared_ptr<informer_lane> lane =
        make_lane(settings_, fifo_.add_scope(), std::move(ns), std::move(not_before), encoding_, store_, *this);
    store_->versions()->add_lane(lane->ns, lane->gate);
    std::lock_guard lock(mutex_);
    lanes_.emplace(lane->id, lane);
    if (stopping_)
        lane->gate.close();
    else if (started_)
        run(lane);
}

void informer_engine::run(const std::shared_ptr<informer_lane>& lane)
{
    watches_.spawn("reflector of " + lane->source->describe(), follow(lane));
}

asio::awaitable<result<>> informer_engine::follow(std::shared_ptr<informer_lane> lane)
{
    result<> outcome;
    auto following = run_to_its_end(*lane, outcome);
    auto leaving = lane->leave.wait();
    auto both = race(std::move(following), std::move(leaving));
    co_await std::move(both);
    co_return outcome; // the group reports a reflector that ends without cancellation
}

} // namespace kubecoro::detail
