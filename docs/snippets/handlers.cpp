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
                            }},
                           {.concurrency = 8, .slow_after = 30s, .name = "reconciler"});
    //]

    //[filter
    pods.add_event_handler(
        {.on_add = [](const kubecoro::added<pod>& e) { std::cout << e.obj.key() << " came to n1\n"; },
         .on_delete = [](const kubecoro::deleted<pod>& e) { std::cout << e.obj.key() << " left n1\n"; }},
        {.filter = [](const kubecoro::object& o) { // options are the same for every kind
            const typed_object<pod> p(o);
            return p->spec().nodeName() == "n1";
        }});
    //]
}

//[policy
asio::awaitable<kubecoro::result<>> keep_books(kubecoro::shared_informer<pod> pods)
{
    for (;;) {
        auto books = pods.add_event_handler({.on_update = [](const kubecoro::updated<pod>& e) { audit(e); }},
                                            {.policy = kubecoro::coalesce::never, .max_pending = 100'000});
        const auto ended = co_await books.ended();
        if (ended.error() != kubecoro::cond::expired) co_return ended; // removed, or the informer stopped
        std::cerr << "the books have a gap: starting over\n";
    }
}
//]

//[leaving
asio::awaitable<kubecoro::result<>> for_a_while(kubecoro::shared_informer<pod> pods,
                                                kubecoro::event_handler<pod> handler)
{
    auto registration = pods.add_event_handler(std::move(handler));
    if (auto synced = co_await registration.has_synced(); !synced) co_return synced;
    // ...
    co_return co_await registration.removed(); // no call comes after this
}
//]

//[pull
asio::awaitable<kubecoro::result<>> pull(kubecoro::subscription<pod> events)
{
    while (auto batch = co_await events.pop())
        for (const auto& event : *batch) audit(event);
    co_return events.end_reason(); // the reason for the end
}
//]

asio::awaitable<kubecoro::result<>> each(kubecoro::shared_informer<pod> pods)
{
    //[for_each
    auto changes =
        pods.subscribe({.initial = false, .filter = [](const kubecoro::object& o) { return o.ns() == "web"; }});
    auto ended = co_await changes.for_each([](const kubecoro::notification<pod>& event) { audit(event); });
    //]
    co_return ended;
}

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

asio::awaitable<kubecoro::result<>> any(kubecoro::shared_informer<pod> pods)
{
    //[wait_for_any
    auto first_failure = co_await pods.wait_for_any(
        [](const kubecoro::notification<pod>& event) {
            return kubecoro::object_of(event)->status().phase() == "Failed";
        },
        10min);
    //]
    if (!first_failure) co_return first_failure.error();
    co_return kubecoro::result<>();
}

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
