#include "callers.hpp"

#include <kubecoro/controller/controller.hpp>
#include <kubecoro/controller/event_recorder.hpp>
#include <kubecoro/controller/finalizer.hpp>
#include <kubecoro/controller/install_crds.hpp>
#include <kubecoro/controller/leader_elector.hpp>
#include <kubecoro/controller/leadership.hpp>
#include <kubecoro/controller/parallelize.hpp>
#include <kubecoro/controller/periodic.hpp>
#include <kubecoro/controller/shard_member.hpp>
#include <kubecoro/controller/workqueue.hpp>

namespace callers_test {
namespace {

asio::awaitable<result<action>> reconcile(const object_key&, reconcile_context&) { co_return action::done(); }
asio::awaitable<result<action>> apply(const object&, reconcile_context&) { co_return action::done(); }
asio::awaitable<result<>> nothing() { co_return result<>{}; }

struct controlled
{
    controller<object> subject;
    event_source source;
};

controlled& controlling(world& w)
{
    controller_options o{.name = "subject"};
    o.time = w.run.shared_clock();
    o.log = logger::silent();
    auto made = std::make_shared<controlled>(
        controlled{controller<object>(w.run.executor(), reconcile, std::move(o)), event_source()});
    made->source = made->subject.watch(w.maps.untyped(), enqueue_object());
    return w.keep<controlled>(std::move(made), [](controlled& c) { return c.subject.stop(); });
}

leader_elector& elector(world& w)
{
    leader_election_options o{.lease = "janitor"};
    o.seed = 1;
    o.log = logger::silent();
    auto made = std::make_shared<leader_elector>(w.run.executor(), w.cluster, std::move(o));
    return w.keep<leader_elector>(std::move(made), [](leader_elector& e) { return e.stop(); });
}

/// A work that ends with its term.
asio::awaitable<result<>> lead(leadership term) { co_return co_await term.ending(); }

/// Awaits what `call` makes of a term, in the work of a leader that leads until the end of the test.
template<class Call>
auto in_term(world& w, Call call)
{
    auto& terms = w.keep(std::make_shared<std::vector<leadership>>());
    auto& e = elector(w);
    auto leading = e.run([&w, &terms](leadership term) -> asio::awaitable<result<>> {
        terms.push_back(term);
        co_return co_await w.never.wait();
    });
    (void)w.run.spawn(std::move(leading));
    w.run.advance(1s);
    return call(terms.at(0));
}

shard_member& member(world& w)
{
    shard_options o{.group = "janitor"};
    o.seed = 1;
    o.log = logger::silent();
    auto made = std::make_shared<shard_member>(w.run.executor(), w.cluster, std::move(o));
    return w.keep<shard_member>(std::move(made), [](shard_member& m) { return m.stop(); });
}

workqueue<object_key>& queue(world& w)
{
    workqueue_options o{.name = "subject"};
    o.time = w.run.shared_clock();
    auto made = std::make_shared<workqueue<object_key>>(w.run.executor(), std::move(o));
    return w.keep<workqueue<object_key>>(std::move(made), [](workqueue<object_key>& q) {
        q.shut_down();
        return q.ended();
    });
}

} // namespace

rows of_controller()
{
    return {
        {"controller/controller.hpp removed", [](world& w) { return controlling(w).source.removed(); }},
        {"controller/controller.hpp ready",
         [](world& w) {
             auto& c = controlling(w);
             c.subject.start();
             return c.subject.ready();
         }},
        {"controller/controller.hpp run", [](world& w) { return controlling(w).subject.run(); }},
        {"controller/controller.hpp stop",
         [](world& w) {
             auto& c = controlling(w);
             c.subject.start();
             return c.subject.stop();
         }},
        {"controller/event_recorder.hpp stop",
         [](world& w) { return w.keep(std::make_shared<event_recorder>(w.cluster)).stop(); }},
        {"controller/finalizer.hpp run_with_finalizer",
         [](world& w) {
             reconcile_context::settings s;
             s.time = w.run.shared_clock();
             auto& context = w.keep(std::make_shared<reconcile_context>(std::move(s)));
             auto found = w.must(w.cluster.get(config_map::resource(), "default", "one"));
             return run_with_finalizer(w.cluster, std::move(found), "example.com/f", apply, apply, context);
         }},
        {"controller/install_crds.hpp install_crds", [](world& w) { return install_crds(w.cluster, {}); }},
        {"controller/leader_elector.hpp run", [](world& w) { return elector(w).run(lead); }},
        {"controller/leader_elector.hpp stop",
         [](world& w) {
             auto& e = elector(w);
             (void)w.run.spawn(e.run(lead));
             w.run.advance(1s);
             return e.stop();
         }},
        {"controller/leader_elector.hpp leading", [](world& w) { return elector(w).leading(); }},
        {"controller/leader_elector.hpp new_leader", [](world& w) { return elector(w).new_leader(); }},
        {"controller/leadership.hpp ending",
         [](world& w) { return in_term(w, [](const leadership& term) { return term.ending(); }); }},
        {"controller/leadership.hpp run",
         [](world& w) {
             auto& c = controlling(w);
             return in_term(w, [&c](const leadership& term) { return term.run(c.subject); });
         }},
        {"controller/parallelize.hpp parallelize",
         [](world& w) { return parallelize(100, [&w](std::size_t) { return sleep_for(w.run.clock(), 1s); }); }},
        {"controller/periodic.hpp every",
         [](world& w) {
             periodic_options how{.name = "job"};
             how.time = w.run.shared_clock();
             how.seed = 1;
             return every(std::move(how), nothing);
         }},
        {"controller/shard_member.hpp run", [](world& w) { return member(w).run(); }},
        {"controller/shard_member.hpp stop",
         [](world& w) {
             auto& m = member(w);
             (void)w.run.spawn(m.run());
             w.run.advance(1s);
             return m.stop();
         }},
        {"controller/shard_member.hpp settled", [](world& w) { return member(w).settled(); }},
        {"controller/workqueue.hpp get", [](world& w) { return queue(w).get(); }},
        {"controller/workqueue.hpp get_batch", [](world& w) { return queue(w).get_batch(3); }},
        {"controller/workqueue.hpp shut_down_with_drain", [](world& w) { return queue(w).shut_down_with_drain(); }},
        {"controller/workqueue.hpp ended", [](world& w) { return queue(w).ended(); }},
    };
}

} // namespace callers_test
