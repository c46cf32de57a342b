// A bare watch: it starts at the version of a list, so that no event between the two is lost. An informer (the next
// example) does this and handles broken connections, expiry and retries.
#include "example.hpp"

#include <kubecoro/core_v1/config_map.hpp>

namespace asio = boost::asio;
using kubecoro::watch_event_type;
using kubecoro::core_v1::config_map;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto maps = client.resource<config_map>("default");
    KUBECORO_TRY(auto list, co_await maps.list_all());
    KUBECORO_TRY(co_await make_some_changes(client));

    kubecoro::watch_options from;
    from.resource_version = list.resource_version;
    KUBECORO_TRY(auto watch, co_await maps.watch(from));
    for (;;) {
        KUBECORO_TRY(auto events, co_await watch->next());
        for (const kubecoro::watch_event& e : events) {
            const kubecoro::typed_object<config_map> map(e.obj); // a watch of config maps delivers no other kind
            const auto text = map->data()["text"];
            if (e.type == watch_event_type::added) std::cout << "added " << map.key() << ": " << text << '\n';
            if (e.type == watch_event_type::modified) std::cout << "modified " << map.key() << ": " << text << '\n';
            if (e.type == watch_event_type::deleted) {
                std::cout << "deleted " << map.key() << '\n';
                co_return kubecoro::result<>();
            }
        }
        if (events.empty()) co_return kubecoro::result<>(); // the server ended the watch
    }
}
