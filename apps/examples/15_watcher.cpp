// A watcher: lists and follows a resource through every failure, without a store. Each list arrives page by page, so that
// memory does not depend on the number of objects: kube-rs's watcher, client-go's RetryWatcher with its list.
#include "example.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/core_v1/config_map.hpp>

#include <set>

namespace asio = boost::asio;
using kubecoro::watcher_event_type;
using kubecoro::core_v1::config_map;

namespace {

/// Keeps no more than the names that exist. A list replaces them; changes follow.
class directory
{
public:
    void take(const kubecoro::watcher_event<>& e)
    {
        switch (e.type) {
        case watcher_event_type::init_begins:
            listed_.clear();
            break;
        case watcher_event_type::listed:
            listed_.emplace(e.obj.name());
            break;
        case watcher_event_type::init_done: // names that the list does not have are gone
            names_ = std::move(listed_);
            std::cout << "listed " << names_.size() << '\n';
            break;
        case watcher_event_type::applied:
            std::cout << (names_.emplace(e.obj.name()).second ? "added " : "changed ") << e.obj.name() << '\n';
            break;
        case watcher_event_type::deleted:
            names_.erase(std::string(e.obj.name()));
            std::cout << "deleted " << e.obj.name() << '\n';
            break;
        }
    }

private:
    std::set<std::string> names_;
    std::set<std::string> listed_;
};

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    directory maps;
    kubecoro::watcher events(client, config_map::resource(), {.ns = "default", .policy = {.page_size = 100}});
    while (auto batch = co_await events.next()) {
        for (const auto& e : batch->events) {
            maps.take(e);
            if (e.type == watcher_event_type::init_done) {
                KUBECORO_TRY(co_await make_some_changes(client)); // meanwhile the watch waits
            }
            if (e.type == watcher_event_type::deleted) events.close(); // ends the loop
        }
    }
    co_return co_await events.stop(); // completes when nothing of it runs any more
}
