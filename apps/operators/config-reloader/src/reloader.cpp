#include "reloader.hpp"

#include "marks.hpp"
#include "references.hpp"

#include <utility>

namespace kubecoro::config_reloader {

namespace asio = boost::asio;

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
informer_options workloads_of(const std::vector<std::string>& namespaces)
{
    informer_options out;
    out.namespaces = namespaces;
    out.decode.prune.keep = marks::paths();
    for (auto& path : reference_paths()) out.decode.prune.keep.push_back(std::move(path));
    return out;
}

/// Keeps only the version of an object. Its metadata is dropped, because kubectl stores copies of the object in an
/// annotation.
informer_options versions_of(const std::vector<std::string>& namespaces)
{
    informer_options out;
    out.namespaces = namespaces;
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

} // namespace

reloader::reloader(asio::any_io_executor executor, client cluster, reloader_options options)
    : executor_(std::move(executor)),
      informers_(cluster.provider(), options.informers),
      config_maps_(informers_.get<core_v1::config_map>(versions_of(options.namespaces))),
      secrets_(informers_.get<core_v1::secret>(versions_of(options.namespaces)))
{
    control<apps_v1::deployment>(cluster, options);
    control<apps_v1::stateful_set>(cluster, options);
    control<apps_v1::daemon_set>(cluster, options);
}

reloader::~reloader() = default;

template<class Workload>
void reloader::control(const client& cluster, const reloader_options& options)
{
    auto workloads = informers_.get<Workload>(workloads_of(options.namespaces));
    // Cannot fail: the name is unique and the informer is new.
    (void)workloads.add_index(std::string(by_reference), index_references<Workload>);

    controller_options how;
    how.name = Workload::resource().plural;
    how.workers = options.workers;
    how.deadline = options.deadline;
    // Short delays, so that retries follow soon after a server is back.
    how.limiter = exponential_limiter(std::chrono::milliseconds{50}, std::chrono::minutes{2});
    how.sync_timeout = duration::zero();
    how.metrics = options.informers.metrics;
    how.time = options.informers.time;
    how.log = options.informers.log.value_or(logger());
    workload_reconciler<Workload> look(cluster, workloads.lister(), options.first_sight, counts_);
    auto made = std::make_unique<controller<object>>(executor_, std::move(look), std::move(how));
    source_options workload_events;
    workload_events.filter = what_matters_of_workloads();
    source_options content_events;
    content_events.filter = predicates::resource_version_changed();
    made->watch(workloads, enqueue_object(), std::move(workload_events));
    made->watch(config_maps_, referring(workloads.lister(), content_kind::config_map), content_events);
    made->watch(secrets_, referring(workloads.lister(), content_kind::secret), std::move(content_events));
    controllers_.push_back(std::move(made));
}

void reloader::start()
{
    informers_.start();
    for (const auto& each : controllers_) each->start();
}

asio::awaitable<result<>> reloader::ready() const
{
    for (const auto& each : controllers_) {
        const auto outcome = co_await each->ready();
        if (!outcome) co_return outcome;
    }
    co_return result<>();
}

asio::awaitable<result<>> reloader::stop()
{
    result<> outcome;
    for (const auto& each : controllers_) each->request_stop();
    for (const auto& each : controllers_) {
        const auto stopped = co_await each->stop();
        if (!stopped && outcome) outcome = stopped;
    }
    const auto stopped = co_await informers_.stop();
    co_return outcome ? stopped : outcome;
}

std::string reloader::describe() const
{
    std::string out = "rolled " + std::to_string(counts_->rolled) + ", adopted " + std::to_string(counts_->adopted) +
                      ", recorded " + std::to_string(counts_->recorded) + "\n";
    for (const auto& each : controllers_) out += each->describe();
    for (const auto& each : informers_.informers()) out += each.describe();
    return out;
}

} // namespace kubecoro::config_reloader
