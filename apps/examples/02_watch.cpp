// A bare watch: it starts at the version of a list, so that no event between the two is lost. An informer (the next
// example) does this and handles broken connections, expiry and retries.
#include "example.hpp"

namespace asio = boost::asio;
using kubecoro::watch_event_type;
using kubecoro::core::v1::config_map;

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    KUBECORO_TRY(auto list, co_await client.list_all(config_map::resource(), "default"));
    KUBECORO_TRY(co_await make_some_changes(client));

    kubecoro::watch_options from;
    from.resource_version = list.resource_version;
    KUBECORO_TRY(auto watch, co_await client.watch(config_map::resource(), "default", from));
    for (;;) {
        KUBECORO_TRY(auto events, co_await watch->next());
        for (const kubecoro::watch_event& e : events) {
            const auto text = e.obj["data"]["text"].as_string();
            if (e.type == watch_event_type::added) std::cout << "added " << e.obj.key() << ": " << text << '\n';
            if (e.type == watch_event_type::modified) std::cout << "modified " << e.obj.key() << ": " << text << '\n';
            if (e.type == watch_event_type::deleted) {
                std::cout << "deleted " << e.obj.key() << '\n';
                co_return kubecoro::result<>();
            }
        }
        if (events.empty()) co_return kubecoro::result<>(); // the server ended the watch
    }
}
