#include "residents.hpp"

#include "contents.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/try.hpp>

#include <functional>
#include <map>
#include <utility>

namespace soak {

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using untyped::config_map;
using untyped::pod;

namespace {

informer_options all_pods()
{
    informer_options o;
    o.resync = 60s;
    o.label_indexes = {"team"};
    o.label = "pods";
    return o;
}

informer_options half_of_the_pods()
{
    informer_options o;
    o.namespaces = half_of_the_namespaces(0);
    o.storage.policy = storage::compressed;
    o.label = "packed-pods";
    return o;
}

informer_options all_maps()
{
    informer_options o;
    o.storage.policy = storage::compressed;
    o.label = "maps";
    return o;
}

/// By lists where the others stream.
informer_options names_of_maps(const reflector_policy& p)
{
    informer_options o;
    o.storage.policy = storage::metadata_only;
    o.policy = p;
    o.policy->watch_list = false;
    o.label = "map-names";
    return o;
}

controller_options quick_retries(std::shared_ptr<metrics> numbers)
{
    controller_options o;
    o.name = "soak";
    o.workers = 4;
    o.limiter = exponential_limiter(5ms, 1s);
    o.own_write_wait = 1s;
    o.metrics = std::move(numbers);
    return o;
}

asio::awaitable<result<std::map<std::string, std::string>>> served(client api, resource_type type,
                                                                   std::vector<std::string> namespaces)
{
    std::map<std::string, std::string> out;
    if (namespaces.empty()) namespaces.emplace_back();
    for (const auto& ns : namespaces) {
        KUBECORO_TRY(auto page, co_await api.list_all(type, ns));
        for (const auto& o : page.items) out.emplace(to_string(o.key()), o.resource_version());
    }
    co_return out;
}

std::map<std::string, std::string> stored(const shared_informer<object>& informer)
{
    std::map<std::string, std::string> out;
    informer.lister().for_each([&out](const object& o) { out.emplace(to_string(o.key()), o.resource_version()); });
    return out;
}

} // namespace

std::vector<std::string> half_of_the_namespaces(std::size_t first)
{
    std::vector<std::string> out;
    for (std::size_t i = 0; i < namespaces / 2; ++i) out.push_back(namespace_name((first + i) % namespaces));
    return out;
}

factory_options busy_days(std::uint64_t seed, std::size_t cycle_seconds)
{
    factory_options o;
    o.seed = seed;
    o.policy.backoff.initial = 50ms;
    o.policy.backoff.cap = 500ms;
    o.policy.watch_timeout_min = std::chrono::seconds(1 + cycle_seconds / 2);
    o.policy.watch_timeout_max = std::chrono::seconds(1 + cycle_seconds);
    return o;
}

residents::residents(asio::any_io_executor executor, client api, std::uint64_t seed, std::size_t cycle_seconds)
    : executor_(executor),
      api_(api),
      factory_(api_, settings(seed, cycle_seconds)),
      pods(factory_.get<pod>(all_pods())),
      packed_pods(factory_.get<pod>(half_of_the_pods())),
      maps(factory_.get<config_map>(all_maps())),
      map_names(factory_.get<config_map>(names_of_maps(busy_days(seed, cycle_seconds).policy))),
      own_maps(maps.lister()),
      controller_(std::move(executor), std::bind_front(&residents::reconcile, this), quick_retries(numbers_))
{
    static_cast<void>(
        pods.add_index("node", [](const object& o, index_sink out) { out(o["spec"]["nodeName"].as_string()); }));
    for (const auto& i : informers()) i.add_event_handler(listener(), {.name = "resident"});
    controller_.watch(pods, enqueue_object());
    controller_.watch(packed_pods, enqueue_object());
}

factory_options residents::settings(std::uint64_t seed, std::size_t cycle_seconds)
{
    auto o = busy_days(seed, cycle_seconds);
    o.executor = executor_;
    o.metrics = numbers_;
    o.log = logger([this](const log_record& r) { warnings_ += format(r).starts_with("warning") ? 1 : 0; });
    return o;
}

event_handler<object> residents::listener()
{
    const auto count = [this](const auto&) { ++events_; };
    return {.on_add = count, .on_update = count, .on_delete = count};
}

asio::awaitable<result<>> residents::start()
{
    factory_.start();
    KUBECORO_TRY(co_await factory_.has_synced());
    controller_.start();
    co_return co_await controller_.ready();
}

asio::awaitable<result<>> residents::stop()
{
    auto quiet = co_await controller_.stop();
    auto stopped = co_await factory_.stop();
    co_return quiet ? stopped : quiet;
}

/// Most runs find nothing to do; some fail once, some want to look again, some write.
asio::awaitable<result<action>> residents::reconcile(object_key key, reconcile_context& c)
{
    const auto found = pods.lister().get(key);
    if (!found) co_return action::done();
    const auto lot = std::hash<std::string_view>{}(found.resource_version()) % 100;
    if (lot == 0 && c.attempt() == 1) co_return failure(cond::conflict, "every hundredth run");
    if (lot == 1) co_return action::requeue_after(1s);
    if (lot != 2) co_return action::done();
    const std::string text = R"({"data":{"fixed":")" + std::string(found.uid()) + "\"}}";
    const auto there = maps.lister().list(label_selector(), key.ns);
    if (there.empty()) co_return action::done();
    auto written =
        co_await api_.patch(config_map::resource(), key.ns, std::string(there.front().name()), patch_kind::merge, text);
    if (written) c.wrote(*written);
    co_return action::done();
}

asio::awaitable<result<>> residents::compare()
{
    for (const auto& informer : informers()) {
        KUBECORO_TRY(auto expected, co_await served(api_, informer.resource(), informer.namespaces()));
        if (stored(informer) != expected)
            co_return failure(cond::corrupt, "not what the server has:\n" + informer.describe());
    }
    co_return result<>();
}

std::string residents::summary() const
{
    std::uint64_t relists = 0;
    std::uint64_t reconnects = 0;
    std::size_t objects = 0;
    for (const auto& i : informers()) {
        const auto s = i.stats();
        relists += s.reflector.relists_total();
        reconnects += s.reflector.reconnects;
        objects += s.objects;
    }
    const auto runs = controller_.stats().succeeded;
    return std::to_string(objects) + " objects, " + std::to_string(events_) + " events, " + std::to_string(runs) +
           " runs, " + std::to_string(relists) + " relists, " + std::to_string(reconnects) + " reconnects, " +
           std::to_string(warnings_) + " warnings";
}

} // namespace soak
