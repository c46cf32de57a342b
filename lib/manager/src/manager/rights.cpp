// The rights that a manager's declarations need, and its events.
#include "manager/manager_engine.hpp"
#include "rights/access_check.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// The right in each of these namespaces; in all if there are none, or if the kind has none.
void add_in(const std::vector<std::string>& namespaces, bool namespaced, access_right right,
            std::vector<access_right>& out)
{
    if (namespaces.empty() || !namespaced) return out.push_back(std::move(right));
    for (const auto& ns : namespaces) {
        right.ns = ns;
        out.push_back(right);
    }
}

} // namespace

const event_recorder& manager_engine::events()
{
    std::lock_guard lock(mutex_);
    declares_events_ = true;
    if (!events_) events_.emplace(cluster, options.events);
    return *events_;
}

void manager_engine::needs(access_right right, bool in_namespaces)
{
    std::lock_guard lock(mutex_);
    add_in(options.namespaces, in_namespaces, std::move(right), needs_);
}

void manager_engine::add_rights_of(const shared_informer<object>& informer, std::vector<access_right>& out) const
{
    const auto& kind = informer.resource();
    add_in(informer.namespaces(), kind.namespaced, right_to(kind, {"list", "watch"}), out);
}

access_right manager_engine::right_to_events() const
{
    const bool core = options.events.api == event_api::core_v1;
    return {.group = core ? "" : "events.k8s.io", .resource = "events", .verbs = {"create", "patch"}};
}

/// Events about objects without a namespace are in the namespace "default".
void manager_engine::add_rights_of_events(std::vector<access_right>& out) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    auto where = options.namespaces;
    const auto has_no_namespace = [](const auto& p) { return p.second->controlled && !p.second->resource.namespaced; };
    if (!where.empty() && std::any_of(parts_.begin(), parts_.end(), has_no_namespace)) where.emplace_back("default");
    add_in(where, true, right_to_events(), out);
}

void manager_engine::add_rights_of_election(std::vector<access_right>& out) const
{
    const auto& e = options.leader_election;
    if (e.lease.empty()) return;
    access_right right{.group = "coordination.k8s.io", .resource = "leases", .verbs = {"create"}};
    right.ns = lease().ns;
    out.push_back(right); // an object that does not exist yet has no name to restrict by
    right.verbs = {"get", "update"};
    if (e.watch) right.verbs.push_back("watch");
    right.name = e.lease;
    out.push_back(std::move(right));
    if (options.leadership_events) add_in({lease().ns}, true, right_to_events(), out);
}

void manager_engine::add_rights_of_shards(std::vector<access_right>& out) const
{
    const auto& s = options.shards;
    if (s.group.empty()) return;
    access_right leases{.group = "coordination.k8s.io", .resource = "leases"};
    leases.verbs = {"list", "create", "update", "delete"};
    if (s.watch) leases.verbs.push_back("watch");
    leases.ns = s.ns.empty() ? cluster.default_namespace() : s.ns;
    out.push_back(std::move(leases));
}

std::vector<access_right> manager_engine::rights() const
{
    std::vector<access_right> out;
    {
        std::lock_guard lock(mutex_);
        out = needs_;
        if (declares_events_) add_rights_of_events(out);
    }
    for (const auto& i : informers.informers()) add_rights_of(i, out);
    add_rights_of_election(out);
    add_rights_of_shards(out);
    return merged(std::move(out));
}

void manager_engine::declare_manifest(std::function<std::string()> yaml)
{
    std::lock_guard lock(mutex_);
    manifests_.push_back(std::move(yaml));
}

void manager_engine::declare_server(server s)
{
    std::lock_guard lock(mutex_);
    servers_.push_back(std::move(s));
}

std::vector<manager_engine::server> manager_engine::servers() const
{
    std::lock_guard lock(mutex_);
    return servers_;
}

std::string manager_engine::manifests() const
{
    std::vector<std::function<std::string()>> declared;
    {
        std::lock_guard lock(mutex_);
        declared = manifests_;
    }
    std::string out;
    for (const auto& yaml : declared) out += (out.empty() ? "" : "---\n") + yaml();
    return out;
}

void manager_engine::check_rights()
{
    if (rights().empty()) return;
    std::uint64_t seed = 0;
    {
        std::lock_guard lock(mutex_);
        seed = seeds_();
    }
    // A stop does not wait for the answer of a server that cannot be reached.
    supervising_.spawn("check of the rights", make_kept_strand(executor_).get(), check_while_running(*this, seed));
}

asio::awaitable<result<>> manager_engine::check_while_running(manager_engine& self, std::uint64_t seed)
{
    result<> outcome;
    const auto check = [&self, &outcome, seed]() -> asio::awaitable<result<>> {
        outcome = co_await catch_failure(
            check_access(self.cluster, self.rights(), *self.options.log, *self.options.time, seed));
        co_return result<>{};
    };
    co_await race(check(), self.ended_.wait());
    if (!outcome && self.place_) outcome = outcome.error().because("in the cluster " + self.place_->cluster);
    if (!outcome && outcome.error() != cond::cancelled)
        self.tell([&](manager_core& core) { core.fail(outcome.error(), self.options.time->now()); });
    co_return result<>{};
}

asio::awaitable<result<>> manager_engine::flush_events(manager_engine& self)
{
    std::optional<event_recorder> recorder;
    {
        std::lock_guard lock(self.mutex_);
        recorder = self.events_;
    }
    if (!recorder) co_return result<>{};
    const auto flushed = co_await catch_failure(recorder->stop());
    if (!flushed) self.options.log->warning("events were lost at the stop", {{"failure", flushed.error().describe()}});
    co_return result<>{};
}

} // namespace kubecoro::detail
