// cluster_state_core: resources, versions, history, time, and the two forms of events. Writes are in writes.cpp, deletion.cpp and crds.cpp.
#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include "objects/stored_object.hpp"
#include "schema/kind_validation.hpp"
#include "state/admission.hpp"
#include "state/disruption_budgets.hpp"
#include "state/garbage_collector.hpp"
#include "state/resource_store.hpp"
#include "state/role_aggregator.hpp"
#include "state/service_allocator.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <exception>

namespace kubecoro::apiserver {
namespace {

/// Objects that one call of tick() examines or deletes in each part of its work: some milliseconds.
constexpr std::size_t steps_a_tick = 200;

} // namespace

cluster_state_core::cluster_state_core(cluster_options options, wall_time now)
    : options_(options),
      random_(options.seed),
      aggregator_(std::make_unique<role_aggregator>(*this)),
      logs_(options.logs)
{
    *version_ = options_.first_version;
    if (options_.garbage_collection) garbage_ = std::make_unique<garbage_collector>(*this);
    for (auto& info : builtin_resources()) add_resource(std::move(info));
    budgets_ = std::make_unique<disruption_budgets>(find("policy", "poddisruptionbudgets"));
    priorities_ = std::make_unique<priority_classes>(find("scheduling.k8s.io", "priorityclasses"));
    const object_address namespaces{find("", "namespaces"), "v1"};
    for (const std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"})
        (void)create(namespaces, json::value{{"metadata", {{"name", name}}}}, {}, now);
    furnish_cluster(now);
}

cluster_state_core::~cluster_state_core() = default;

void cluster_state_core::add_resource(resource_info info)
{
    auto key = std::pair{info.group, info.plural};
    std::shared_ptr<resource_store> made;
    if (info.behaves == builtin::service)
        made = std::make_shared<service_store>(std::move(info), options_, version_, history_bytes_);
    else
        made = std::make_shared<resource_store>(std::move(info), options_, version_, history_bytes_);
    stores_[std::move(key)] = std::move(made);
    ++discovery_version_;
}

void cluster_state_core::compact()
{
    for (auto& [key, store] : stores_) store->compact(*version_);
}

std::shared_ptr<resource_store> cluster_state_core::find(std::string_view group_plural) const
{
    const auto dot = group_plural.find('.');
    return dot == std::string_view::npos ? find("", group_plural)
                                         : find(group_plural.substr(dot + 1), group_plural.substr(0, dot));
}

std::shared_ptr<resource_store> cluster_state_core::find(std::string_view group, std::string_view plural) const
{
    const auto it = stores_.find({std::string(group), std::string(plural)});
    return it == stores_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<resource_store>> cluster_state_core::resources() const
{
    std::vector<std::shared_ptr<resource_store>> all;
    all.reserve(stores_.size());
    for (const auto& [key, store] : stores_) all.push_back(store);
    return all;
}

std::vector<std::string> cluster_state_core::objects(std::string_view resource) const
{
    std::vector<std::string> texts;
    if (const auto store = find(resource))
        for (const auto& [key, object] : store->objects()) texts.push_back(object->text);
    return texts;
}

std::string cluster_state_core::new_uid() { return make_uuid(random_); }

std::string cluster_state_core::generated_suffix()
{
    // Kubernetes' alphabet, without vowels and look-alikes.
    static constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    std::string suffix;
    for (int i = 0; i < 5; ++i) suffix += letters[random_() % letters.size()];
    return suffix;
}

stored cluster_state_core::commit(resource_store& store, const stored& before, json::value& body)
{
    settle(store.info, body);
    return commit_settled(store, before, body);
}

stored cluster_state_core::commit_settled(resource_store& store, const stored& before, const json::value& body)
{
    auto object = make_stored(store.info, body, ++*version_);
    auto* const services = allocator_of(store);
    if (services) services->begin();
    store.record({before ? change_type::modified : change_type::added, *version_, before, object});
    if (services) services->note(before.get(), object.get());
    if (garbage_) garbage_->note(store, before.get(), object.get());
    aggregator_->note(store, object->key, object.get());
    bound_history();
    changed(store);
    if (store.info.behaves == builtin::event) mirror_event(store, object, false);
    return object;
}

void cluster_state_core::bound_history()
{
    while (*history_bytes_ > options_.history_bytes) {
        const auto largest = std::max_element(stores_.begin(), stores_.end(), [](const auto& a, const auto& b) {
            return a.second->history_bytes() < b.second->history_bytes();
        });
        if (largest->second->history_bytes() == 0) return; // the rest belongs to removed resources
        largest->second->forget_oldest_change();
    }
}

void cluster_state_core::changed(const resource_store& store) const
{
    if (listener_) listener_(store.info.display_name());
}

void cluster_state_core::end_pods(wall_time now)
{
    const auto pods = find("", "pods");
    std::exception_ptr failed;
    if (now < last_tick_) // the calendar was put back
        for (auto& [when, pod] : std::exchange(terminating_pods_, {})) terminating_pods_.emplace(now, std::move(pod));
    last_tick_ = now;
    while (!terminating_pods_.empty() && terminating_pods_.begin()->first <= now) {
        auto due = terminating_pods_.extract(terminating_pods_.begin());
        const auto& [key, uid] = due.mapped();
        const auto pod = pods->find(key);
        if (!pod || pod->uid != uid || !pod->deleting) continue;
        try {
            sweep(*pods, {pod}, now);
        } catch (...) {
            failed = std::current_exception();
            due.key() = now + std::chrono::seconds{1};
            terminating_pods_.insert(std::move(due)); // without an allocation
        }
    }
    if (failed) std::rethrow_exception(failed);
}

std::optional<wall_time> cluster_state_core::tick(wall_time now)
{
    bool more = false;
    std::exception_ptr failed;
    // A part that fails does not hold up the others.
    const auto attempt = [&](const auto& part) {
        try {
            more = part() || more;
        } catch (...) {
            failed = std::current_exception();
        }
    };
    attempt([&] {
        end_pods(now);
        return false;
    });
    attempt([&] { return work_on_sweeps(steps_a_tick, now); });
    attempt([&] { return aggregator_->work(now); });
    attempt([&] { return garbage_ && garbage_->work(steps_a_tick, now); });
    if (failed) std::rethrow_exception(failed);
    if (more) return now;
    if (terminating_pods_.empty()) return {};
    return terminating_pods_.begin()->first;
}

stored cluster_state_core::event_in(const resource_store& other, const stored& event) const
{
    auto body = event_form(to_json(*event), other.info.group.empty());
    settle(other.info, body);
    return make_stored(other.info, body, event->version);
}

// Both forms are kept, so that lists, watches and selectors of either group work as for any other resource.
void cluster_state_core::mirror_event(const resource_store& written, const stored& event, bool gone)
{
    const auto other = find(written.info.group.empty() ? "events.k8s.io" : "", "events");
    const auto before = other->find(event->key);
    const auto type = gone ? change_type::deleted : before ? change_type::modified : change_type::added;
    other->record({type, event->version, before, event_in(*other, event)});
    bound_history();
    changed(*other);
}

} // namespace kubecoro::apiserver
