// Snippets of docs/guide/handlers.md and docs/guide/subscriptions.md.
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/asio/io_context.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::typed_object;
using kubecoro::apps_v1::deployment;
using kubecoro::core_v1::pod;

asio::awaitable<kubecoro::result<>> reconcile(typed_object<pod> p);
void audit(const kubecoro::notification<pod>& event);

void handlers(kubecoro::shared_informer<pod> pods)
{
    //[functions
    auto registration = pods.add_event_handler(
        {.on_add =
             [](const kubecoro::added<pod>& e) {
                 std::cout << (e.initial ? "existing " : "new ") << e.obj.key() << '\n';
             },
         .on_update =
             [](const kubecoro::updated<pod>& e) {
                 if (kubecoro::spec_changed(e)) std::cout << "changed " << e.after.key() << '\n';
             },
         .on_delete = [](const kubecoro::deleted<pod>& e) { std::cout << "gone " << e.obj.key() << '\n'; }});
    //]

    //[coroutines
    pods.add_event_handler({.on_add = [](kubecoro::added<pod> e) -> asio::awaitable<kubecoro::result<>> {
                                co_return co_await reconcile(e.obj);
                            },
                            .on_update = [](kubecoro::updated<pod> e) -> asio::awaitable<kubecoro::result<>> {
                                co_return co_await reconcile(e.after);
                            },
                            .concurrency = 8,
                            .slow_after = 30s},
                           {.name = "reconciler"});
    //]
}

//[pull
asio::awaitable<kubecoro::result<>> pull(kubecoro::subscription<pod> events)
{
    while (auto batch = co_await events.pop())
        for (const auto& event : *batch) audit(event);
    co_return events.end_reason(); // the reason for the end
}
//]

//[wait_for
asio::awaitable<kubecoro::result<>> roll_out(kubecoro::shared_informer<deployment> deployments,
                                             kubecoro::shared_informer<pod> pods)
{
    namespace conditions = kubecoro::conditions;
    const kubecoro::object_key shop("web", "shop");
    // Fails with "web/shop is not rolled out after 300 s, last seen: ..."
    KUBECORO_TRY(co_await deployments.wait_for(shop, conditions::deployment_rolled_out(), 5min));

    const kubecoro::object_key old("web", "shop-old");
    KUBECORO_TRY(co_await pods.wait_for(old, conditions::deleted(), 30s));

    const kubecoro::object_condition on_a_node("on a node", [](const kubecoro::object& o) {
        const typed_object<pod> p(o);
        return !p->spec().nodeName().empty();
    });
    const kubecoro::object_key fresh("web", "shop-new");
    const auto ready_on_a_node = conditions::all_of({on_a_node, conditions::pod_ready()});
    auto placed = co_await pods.wait_for(fresh, ready_on_a_node, 30s);
    if (placed) std::cout << "on " << (*placed)->spec().nodeName() << '\n';
    co_return kubecoro::result<>();
}
//]

asio::awaitable<kubecoro::result<>> reconcile(typed_object<pod> p)
{
    std::cout << p.key() << '\n';
    co_return kubecoro::result<>();
}
void audit(const kubecoro::notification<pod>& event)
{
    if (const auto* e = std::get_if<kubecoro::updated<pod>>(&event)) std::cout << e->after.key() << '\n';
}

int main() {}
