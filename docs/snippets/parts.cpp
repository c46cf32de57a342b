// Snippets of docs/guide/building-with-the-parts.md.
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <set>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

void audit(const kubecoro::watcher_event<>& event);

//[watcher
asio::awaitable<kubecoro::result<>> follow(kubecoro::client client)
{
    kubecoro::watcher pods(client, pod::resource(), {.ns = "web", .label_selector = "app=shop"});
    while (auto batch = co_await pods.next())
        for (const auto& event : batch->events) audit(event);
    co_return co_await pods.stop();
}
//]

//[restart
/// The names of the pods. A list that is cut off does not change them.
struct pod_names
{
    std::set<kubecoro::object_key> all;
    std::set<kubecoro::object_key> in_list;

    void take(const kubecoro::watcher_event<>& event)
    {
        using enum kubecoro::watcher_event_type;
        switch (event.type) {
        case init_begins:
            in_list.clear(); // also those of a list that failed in the middle
            break;
        case listed:
            in_list.emplace(event.obj.key());
            break;
        case init_done:
            all = std::move(in_list); // objects missing from the list are gone
            break;
        case applied:
            all.emplace(event.obj.key());
            break;
        case deleted:
            all.erase(kubecoro::object_key(event.obj.key()));
            break;
        }
    }
};
//]

/// A table of some database.
struct table
{
    asio::awaitable<kubecoro::result<>> begin();
    asio::awaitable<kubecoro::result<>> remove_all_but(const std::vector<kubecoro::left_out_object>& rows);
    asio::awaitable<kubecoro::result<>> remove(kubecoro::object_key row);
    asio::awaitable<kubecoro::result<>> put(const kubecoro::object& row);
    asio::awaitable<kubecoro::result<>> commit(std::string version);
};

//[sink
class table_sink final : public kubecoro::reflector_sink
{
public:
    explicit table_sink(table& pods) : pods_(pods) {}

    asio::awaitable<kubecoro::result<>> replace(std::vector<kubecoro::object> items, std::string version,
                                                std::vector<kubecoro::left_out_object> left_out) override
    {
        if (auto begun = co_await pods_.begin(); !begun) co_return begun;
        if (auto gone = co_await pods_.remove_all_but(left_out); !gone) co_return gone;
        for (const auto& item : items)
            if (auto put = co_await pods_.put(item); !put) co_return put;
        co_return co_await pods_.commit(version);
    }

    asio::awaitable<kubecoro::result<>> apply(std::vector<kubecoro::delta> changes, std::string version) override
    {
        if (auto begun = co_await pods_.begin(); !begun) co_return begun;
        for (const auto& change : changes) {
            const bool gone = change.type == kubecoro::delta_type::deleted;
            if (auto written =
                    co_await (gone ? pods_.remove(kubecoro::object_key(change.obj.key())) : pods_.put(change.obj));
                !written)
                co_return written;
        }
        co_return co_await pods_.commit(version);
    }

private:
    table& pods_;
};
//]
