// Pulling events from an informer: in batches, in a loop of the program's own, at its own pace.
#include "example.hpp"

#include <kubecoro/core_v1/config_map.hpp>

namespace asio = boost::asio;
using kubecoro::core_v1::config_map;

namespace {

/// Prints one event. @return whether it was the last expected one.
bool apply(const kubecoro::notification<config_map>& n)
{
    if (const auto* e = std::get_if<kubecoro::added<config_map>>(&n)) {
        std::cout << "added " << e->obj.key() << (e->initial ? " (initial)" : "") << '\n';
    } else if (const auto* u = std::get_if<kubecoro::updated<config_map>>(&n)) {
        std::cout << "updated " << u->after.key() << '\n';
    } else if (const auto* d = std::get_if<kubecoro::deleted<config_map>>(&n)) {
        std::cout << "deleted " << d->obj.key() << '\n';
        return true;
    }
    return false;
}

asio::awaitable<kubecoro::result<>> pull(kubecoro::subscription<config_map> events)
{
    while (auto batch = co_await events.pop()) {
        for (const auto& n : *batch) {
            if (apply(n)) co_return kubecoro::result<>();
        }
    }
    co_return events.end_reason();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    kubecoro::informer_factory informers(client);
    auto maps = informers.get<config_map>({.namespaces = {"default"}});
    auto events = maps.subscribe();
    informers.start();
    auto outcome = co_await maps.has_synced();
    if (outcome) outcome = co_await make_some_changes(client);
    if (outcome) outcome = co_await pull(std::move(events));
    auto stopped = co_await informers.stop();
    co_return outcome ? stopped : outcome;
}
