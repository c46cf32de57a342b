// Snippets of docs/guide/events.md.
#include <kubecoro/kubecoro.hpp>

#include <string>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::event_type;
using kubecoro::object;

asio::awaitable<kubecoro::result<int>> files_of(object) { co_return 3; }

//[record
/// Removes what a pod has left behind, and tells its owner.
asio::awaitable<kubecoro::result<action>> sweep(object pod, kubecoro::event_recorder events)
{
    KUBECORO_TRY(const auto files, co_await files_of(pod));
    if (files == 0) co_return action::done();
    events.event(pod, event_type::normal, "Swept", "Sweep", "removed " + std::to_string(files) + " files");
    co_return action::done();
}
//]

asio::awaitable<kubecoro::result<>> program(kubecoro::client cluster, object pod)
{
    //[recorder
    kubecoro::event_recorder events(cluster, {.component = "example.com/janitor"});
    //]
    KUBECORO_TRY(co_await sweep(pod, events));
    co_return co_await events.stop();
}
