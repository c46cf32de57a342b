#include "demo_informers.hpp"

#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/apps_v1/replica_set.hpp>
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/node.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/core_v1/service.hpp>

#include <cstdio>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

template<class T>
void show(feed& f, const std::string& resource, const notification<T>& n)
{
    if (const auto* a = std::get_if<added<T>>(&n)) f.added(resource, a->obj, a->initial);
    if (const auto* u = std::get_if<updated<T>>(&n)) f.updated(resource, u->before, u->after);
    if (const auto* d = std::get_if<deleted<T>>(&n)) f.deleted(resource, d->obj, d->final_state_unknown);
}

template<class T>
asio::awaitable<result<>> pull(subscription<T> events, feed& f, std::string resource)
{
    while (auto batch = co_await events.pop()) {
        for (const auto& n : *batch) show(f, resource, n);
    }
    co_return result<>();
}

} // namespace

demo_informers::demo_informers(client api, feed& show, factory_options how, std::vector<resource_type> extra)
    : api_(std::move(api)), feed_(show), factory_(api_, how), tasks_(api_.executor(), how.log.value_or(logger()))
{
    follow_by_coroutine<core_v1::pod>();
    follow_by_function<apps_v1::deployment>();
    follow_by_function<apps_v1::replica_set>();
    follow_by_function<core_v1::node>();
    follow_by_function<core_v1::service>();
    follow_by_subscription(factory_.get<core_v1::config_map>());
    for (const auto& type : extra) follow_by_subscription(factory_.get(type));
}

template<class T>
void demo_informers::follow_by_function()
{
    const auto informer = factory_.get<T>();
    const auto name = T::resource().plural;
    event_handler<T> handler;
    handler.on_add = [&f = feed_, name](const added<T>& e) { f.added(name, e.obj, e.initial); };
    handler.on_update = [&f = feed_, name](const updated<T>& e) { f.updated(name, e.before, e.after); };
    handler.on_delete = [&f = feed_, name](const deleted<T>& e) { f.deleted(name, e.obj, e.final_state_unknown); };
    all_.push_back({informer, informer.add_event_handler(std::move(handler))});
}

template<class T>
void demo_informers::follow_by_coroutine()
{
    const auto informer = factory_.get<T>();
    const auto name = T::resource().plural;
    event_handler<T> handler;
    handler.on_add = [&f = feed_, name](const added<T>& e) -> asio::awaitable<void> {
        f.added(name, e.obj, e.initial);
        co_return;
    };
    // A handler may wait as long as it likes: it delays neither the watch nor other handlers.
    handler.on_update = [&f = feed_, name](const updated<T>& e) -> asio::awaitable<result<>> {
        const auto time = real_clock();
        auto waited = co_await sleep_for(*time, std::chrono::milliseconds{1});
        f.updated(name, e.before, e.after);
        co_return waited;
    };
    handler.on_delete = [&f = feed_, name](const deleted<T>& e) -> asio::awaitable<void> {
        f.deleted(name, e.obj, e.final_state_unknown);
        co_return;
    };
    all_.push_back({informer, informer.add_event_handler(std::move(handler))});
}

template<class T>
void demo_informers::follow_by_subscription(const shared_informer<T>& informer)
{
    const auto name = informer.resource().plural;
    tasks_.spawn("pull " + name, pull(informer.subscribe(), feed_, name));
    all_.push_back({informer, registration()});
}

void demo_informers::start() { factory_.start(); }

asio::awaitable<result<>> demo_informers::has_synced()
{
    std::size_t usable = 0;
    for (auto& one : all_) {
        result<> synced = result<>();
        if (one.handler) {
            synced = co_await one.handler.has_synced();
        } else {
            synced = co_await one.informer.has_synced();
        }
        if (synced) {
            ++usable;
            continue;
        }
        if (synced.error() == cond::cancelled) co_return synced;
        one.refused = true;
        feed_.note(one.informer.resource().display_name() + " left out: " + synced.error().describe());
    }
    if (usable == 0) co_return failure(cond::forbidden, "the server permits reading none of these resources");
    co_return result<>();
}

asio::awaitable<result<>> demo_informers::stop()
{
    auto stopped = co_await factory_.stop();
    auto joined = co_await tasks_.join();
    if (!stopped) co_return stopped;
    co_return joined;
}

std::vector<informer_stats> demo_informers::stats() const
{
    std::vector<informer_stats> out;
    for (const auto& one : all_) out.push_back(one.informer.stats());
    return out;
}

std::uint64_t demo_informers::relists(relist_reason why) const
{
    std::uint64_t n = 0;
    for (const auto& s : stats()) n += s.reflector.relists[static_cast<std::size_t>(why)];
    return n;
}

std::uint64_t demo_informers::reconnects() const
{
    std::uint64_t n = 0;
    for (const auto& s : stats()) n += s.reflector.reconnects;
    return n;
}

void demo_informers::print_table() const
{
    char row[200];
    std::snprintf(row, sizeof row, "%-14s %8s %13s %6s %8s %8s %11s %10s", "", "objects", "bytes/object", "lists",
                  "relists", "watches", "reconnects", "synced in");
    feed_.plain(feed_.bold(row));
    const auto print = [&](const std::string& name, const informer_stats& s) {
        const double seconds = s.time_to_sync ? std::chrono::duration<double>(*s.time_to_sync).count() : 0;
        std::snprintf(row, sizeof row, "%-14s %8zu %13zu %6llu %8llu %8llu %11llu %8.3f s", name.c_str(), s.objects,
                      s.objects ? s.bytes / s.objects : 0, static_cast<unsigned long long>(s.reflector.lists),
                      static_cast<unsigned long long>(s.reflector.relists_total()),
                      static_cast<unsigned long long>(s.reflector.watches),
                      static_cast<unsigned long long>(s.reflector.reconnects), seconds);
        feed_.plain(row);
    };
    informer_stats sum;
    for (const auto& one : all_) {
        const auto s = one.informer.stats();
        print(one.informer.resource().plural, s);
        sum.objects += s.objects;
        sum.bytes += s.bytes;
        sum.reflector.lists += s.reflector.lists;
        for (std::size_t i = 0; i != relist_reasons; ++i) sum.reflector.relists[i] += s.reflector.relists[i];
        sum.reflector.watches += s.reflector.watches;
        sum.reflector.reconnects += s.reflector.reconnects;
        if (s.time_to_sync) sum.time_to_sync = std::max(sum.time_to_sync.value_or(duration{0}), *s.time_to_sync);
    }
    print("total", sum);
}

} // namespace kubecoro::tool
