#include "reloader.hpp"

#include "marks.hpp"
#include "references.hpp"

#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/secret.hpp>

#include <utility>

namespace kubecoro::config_reloader {

namespace {

/// Indexes the workloads that opt in by their references.
constexpr std::string_view by_reference = "config-reloader/reference";

std::string index_value(content_kind kind, std::string_view ns, std::string_view name)
{
    return std::string(to_string(kind)).append("/").append(ns).append("/").append(name);
}

template<class Workload>
void index_references(const typed_object<Workload>& workload, index_sink out)
{
    const auto asked = marks::asked(workload);
    if (!asked || !*asked) return;
    const auto references = references_of(workload->spec().template_().spec());
    if (!references) return;
    for (const auto& each : *references) out(index_value(each.kind, workload.ns(), each.name));
}

/// Keeps only the parts of a workload that the operator uses.
informer_options workloads_of()
{
    informer_options out;
    out.decode.prune.keep = marks::paths();
    for (auto& path : reference_paths()) out.decode.prune.keep.push_back(std::move(path));
    return out;
}

/// Keeps only the version of an object. Its metadata is dropped, because kubectl stores copies of the object in an
/// annotation.
informer_options versions_of()
{
    informer_options out;
    out.storage.policy = storage::metadata_only;
    out.decode.prune.keep = {"metadata.resourceVersion"};
    return out;
}

/// The workloads that read a config map or a secret. Its kind is all that matters: the content is read when they run.
enqueue referring(lister<object> workloads, content_kind kind)
{
    return enqueue_mapped([workloads = std::move(workloads), kind](const object& content, key_sink out) {
        const auto value = index_value(kind, content.ns(), content.name());
        for (const auto& key : workloads.index_keys(by_reference, value)) out(key);
    });
}

predicate what_matters_of_workloads()
{
    using namespace predicates;
    return all_of({matches(marks::mentioned), any_of({generation_changed(), annotations_changed()})});
}

/// Shared by the controllers of one operator.
struct shared_parts
{
    manager& m;
    reloader_options options;
    shared_informer<core_v1::config_map> config_maps;
    shared_informer<core_v1::secret> secrets;
    std::shared_ptr<reload_counts> counts;
};

/// Adds the controller of one kind of workload.
template<class Workload>
void control(const shared_parts& shared)
{
    auto workloads = shared.m.informer<Workload>(workloads_of());
    // Cannot fail: the name is unique and the informer is new.
    (void)workloads.add_index(std::string(by_reference), index_references<Workload>);

    control_options how;
    how.name = Workload::resource().plural;
    how.filter = what_matters_of_workloads();
    how.running.workers = shared.options.workers;
    how.running.deadline = shared.options.deadline;
    how.running.fair_by = by_namespace; // a tenant whose config map is used everywhere does not delay the others
    // Short delays, so that retries follow soon after a server is back.
    how.running.limiter = exponential_limiter(std::chrono::milliseconds{50}, std::chrono::minutes{2});
    const workload_reconciler<Workload> look(
        shared.m.client(), workloads.lister(),
        {.config_maps = shared.config_maps.lister(), .secrets = shared.secrets.lister()}, shared.options.first_sight,
        shared.options.settle, shared.counts);
    source_options content_events;
    content_events.filter = predicates::resource_version_changed();
    const auto added = shared.m.control<Workload>(look, std::move(how)).template writes<Workload>({"patch"});
    added.watch(shared.config_maps, referring(workloads.lister(), content_kind::config_map), content_events);
    added.watch(shared.secrets, referring(workloads.lister(), content_kind::secret), std::move(content_events));
}

} // namespace

std::shared_ptr<const reload_counts> add_reloader(manager& m, const reloader_options& options)
{
    const shared_parts shared{.m = m,
                              .options = options,
                              .config_maps = m.informer<core_v1::config_map>(versions_of()),
                              .secrets = m.informer<core_v1::secret>(versions_of()),
                              .counts = std::make_shared<reload_counts>(*m.metrics())};
    control<apps_v1::deployment>(shared);
    control<apps_v1::stateful_set>(shared);
    control<apps_v1::daemon_set>(shared);
    m.needs<core_v1::config_map>({"get"});
    m.needs<core_v1::secret>({"get"});
    return shared.counts;
}

} // namespace kubecoro::config_reloader
