// The handles: manager, managed, managed_controller.
#include <kubecoro/manager/manager.hpp>

#include "manager/cluster_set.hpp"
#include "manager/manager_engine.hpp"

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

manager::manager(kubecoro::client cluster, manager_options options)
    : engine_(std::make_shared<manager_engine>(std::move(cluster), std::move(options)))
{
}
manager::manager(kubecoro::client cluster, manager_options options, cluster_place place)
    : engine_(std::make_shared<manager_engine>(std::move(cluster), std::move(options), std::move(place)))
{
}
manager::~manager() { manager_engine::abandon(engine_); }

const kubecoro::client& manager::client() const noexcept { return engine_->cluster; }
informer_factory& manager::informers() noexcept { return engine_->informers; }
const std::shared_ptr<time_source>& manager::time() const noexcept { return engine_->options.time; }
const logger& manager::log() const noexcept { return *engine_->options.log; }
const std::shared_ptr<kubecoro::metrics>& manager::metrics() const noexcept { return engine_->options.metrics; }
asio::any_io_executor manager::executor() const { return engine_->cluster.executor(); }
const std::string& manager::name() const noexcept { return engine_->options.name; }
const std::vector<std::string>& manager::namespaces() const noexcept { return engine_->options.namespaces; }

const std::string& manager::cluster() const noexcept { return engine_->cluster_name(); }

shared_informer<object> manager::informer(const resource_type& resource, informer_options options)
{
    return engine_->informer(resource, std::move(options));
}
lister<object> manager::lister(const resource_type& resource) { return engine_->declared(resource).lister(); }

const event_recorder& manager::events() { return engine_->events(); }
void manager::needs(const resource_type& resource, std::vector<std::string> verbs, std::string_view subresource)
{
    engine_->needs(right_to(resource, std::move(verbs), subresource), resource.namespaced);
}
void manager::needs(access_right right) { engine_->needs(std::move(right), false); }
std::vector<access_right> manager::rights() const { return engine_->rights(); }

managed_controller manager::control(const resource_type& resource, reconciler reconcile, control_options&& options)
{
    return {engine_, engine_->add_controller(resource, std::move(reconcile), std::move(options))};
}
managed_controller manager::control_keys(reconciler reconcile, control_options&& options)
{
    return {engine_, engine_->add_controller(std::move(reconcile), std::move(options))};
}
shared_informer<object> manager::controlled(const resource_type& resource, const control_options& options)
{
    return engine_->watched(resource, engine_->share_of(options), true);
}
managed manager::add(std::string name, patient_runnable f, bool is_patient, runnable_options options)
{
    return {engine_, engine_->add_runnable(std::move(name), std::move(f), is_patient, std::move(options))};
}

managed_clusters manager::add(std::shared_ptr<cluster_provider> from, manager_setup setup, clusters_options options)
{
    from->attach(*this);
    const auto set = engine_->add_clusters(std::move(from), std::move(setup), std::move(options));
    return {engine_, set->add_parts(), set};
}

std::vector<std::shared_ptr<manager>> manager::members() const
{
    std::vector<std::shared_ptr<manager>> out;
    for (const auto& set : engine_->cluster_sets())
        for (auto& m : set->managers()) out.push_back(std::move(m));
    return out;
}
result<std::vector<cluster_rights>> manager::rights_in_clusters() const
{
    std::vector<cluster_rights> out;
    for (const auto& set : engine_->cluster_sets()) {
        auto needed = set->rights();
        if (!needed) return needed.error().because(set->name());
        out.push_back({.clusters = set->name(), .rights = *std::move(needed)});
    }
    return out;
}
std::vector<std::string> manager::sets_of_clusters() const
{
    std::vector<std::string> out;
    for (const auto& set : engine_->cluster_sets()) out.push_back(set->name());
    return out;
}

void manager::declare_manifest(std::function<std::string()> yaml) { engine_->declare_manifest(std::move(yaml)); }
void manager::declare_server(std::function<bool()> serves, std::function<bool()> for_lists)
{
    engine_->declare_server({std::move(serves), std::move(for_lists)});
}
bool manager::serves() const
{
    return std::ranges::all_of(engine_->servers(), [](const auto& s) { return s.serves(); });
}
bool manager::serves_for_lists() const
{
    return std::ranges::any_of(engine_->servers(), [](const auto& s) { return s.for_lists(); });
}
std::string manager::manifests() const { return engine_->manifests(); }

void manager::start() { engine_->start(); }
asio::awaitable<result<>> manager::ready() const { return engine_->ready(); }
asio::awaitable<result<>> manager::run()
{
    start();
    return manager_engine::over(engine_);
}
asio::awaitable<result<>> manager::stop()
{
    request_stop();
    return manager_engine::over(engine_);
}
void manager::request_stop() { engine_->request_stop(); }

manager_stats manager::stats() const { return engine_->stats(); }
manager_phase manager::phase() const { return engine_->phase(); }
std::vector<controller_stats> manager::controllers() const { return engine_->controllers(); }
std::vector<std::string> manager::tasks() const { return engine_->tasks(); }
result<> manager::healthy() const { return engine_->healthy(); }
std::string manager::describe() const
{
    const auto s = stats();
    std::string out = "manager " + name() + ": " + std::string(to_string(s.phase)) +
                      (s.ended_by ? ", ended by: " + s.ended_by->describe() : "") + '\n';
    for (const auto& p : s.parts) {
        out += "  " + p.name + ": " + std::string(to_string(p.state));
        if (p.restarts != 0) out += ", started again " + std::to_string(p.restarts) + " times";
        if (p.last_failure) out += ", last failure: " + p.last_failure->describe();
        out += '\n';
    }
    if (s.election) out += "  " + kubecoro::describe(*s.election) + '\n';
    if (s.shards) out += "  " + kubecoro::describe(*s.shards) + '\n';
    for (const auto& c : s.clusters) out += "  cluster " + kubecoro::describe(c) + '\n';
    for (const auto& i : engine_->informers.informers()) out += i.describe() + '\n';
    return out;
}

managed::managed(std::weak_ptr<manager_engine> engine, std::shared_ptr<managed_part> part)
    : engine_(std::move(engine)), part_(std::move(part))
{
}
std::string managed::name() const { return part_ ? part_->name : std::string(); }
void managed::remove() const
{
    if (const auto e = engine(); e && part_) e->remove(*part_);
}
asio::awaitable<result<>> managed::removed() const
{
    remove();
    if (part_ && engine()) return part_->gone.wait();
    latch over;
    over.settle({});
    return over.wait();
}

managed_controller managed_controller::owns(const resource_type& resource, source_options options) const
{
    return watches(resource, enqueue_owner(part() ? part()->resource : resource_type{}), std::move(options));
}
managed_controller managed_controller::watches(const resource_type& resource, enqueue map, source_options options) const
{
    const auto e = engine();
    if (e && part()) (void)watch(e->watched(resource, part()->share, false), std::move(map), std::move(options));
    return *this;
}
managed_controller managed_controller::writes(const resource_type& resource, std::vector<std::string> verbs) const
{
    if (const auto e = engine()) e->needs(right_to(resource, std::move(verbs)), resource.namespaced);
    return *this;
}
event_source managed_controller::watch(const shared_informer<object>& informer, enqueue map,
                                       source_options options) const
{
    if (!part()) return {};
    return part()->controlled->watch(informer, std::move(map), std::move(options));
}
void managed_controller::trigger(object_key_view key, int priority) const
{
    if (part()) part()->controlled->trigger(key, priority);
}
controller_stats managed_controller::stats() const { return part() ? part()->controlled->stats() : controller_stats{}; }

} // namespace kubecoro
