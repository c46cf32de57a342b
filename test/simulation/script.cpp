// The script of a world, step by step, and its end.

#include "checks.hpp"
#include "world.hpp"

#include <boost/asio/cancellation_type.hpp>

#include <utility>

namespace kubecoro::simulation {

namespace {
constexpr duration settle_limit = std::chrono::minutes(40);
}

void world::step()
{
    if (controller_ && one_in(random_, 4)) controller_->one();
    impatient_->one();
    const auto dice = below(random_, 20);
    if (dice < 11) {
        operate();
    } else if (dice < 16) {
        let_time_pass();
    } else if (dice < 18) {
        if (options_.faults) break_something();
    } else {
        change_users();
    }
    // Sometimes the next step follows before all consequences of this one.
    switch (below(random_, 4)) {
    case 0:
        break;
    case 1:
        runner_.step(below(random_, 60));
        break;
    default:
        check_idle();
    }
    go_on();
}

void world::go_on()
{
    for (auto& w : informers_) {
        for (auto& u : w.users) u->go_on();
    }
    if (controller_) controller_->go_on();
}

void world::operate()
{
    for (auto n = below(random_, 4); n > 0; --n) must("operation", operations_->one());
    must("operation", operations_->one());
    must("roam", roaming_->one());
}

void world::break_something()
{
    // Whatever happens to connections and history, the truth continues from the current version.
    runner_.run_until_idle();
    const auto version = runner_.run(server_->resource_version());
    if (!version) notes_.broken("truth", version.error().describe());
    if (!version) return;
    for (auto& t : histories_) t->caught_up(std::to_string(*version));
    network_->break_something();
    if (options_.hostile) network_->break_something_rare();
}

void world::let_time_pass()
{
    switch (below(random_, 8)) {
    case 0:
        runner_.advance(std::chrono::seconds(below(random_, 400)));
        break;
    case 1:
    case 2:
        runner_.advance(std::chrono::seconds(below(random_, 40)));
        break;
    default:
        runner_.advance(std::chrono::milliseconds(below(random_, 3000)));
    }
}

void world::change_users()
{
    auto& w = informers_[below(random_, informers_.size())];
    const auto which = below(random_, 7);
    if (which >= 4) {
        if (which == 6 && !w.waits.empty()) w.waits[below(random_, w.waits.size())]->give_up();
        wait(w);
        return;
    }
    if (which < 2 || w.users.empty()) {
        if (w.users.size() < 6) join(w);
        return;
    }
    auto& u = *w.users[below(random_, w.users.size())];
    if (which == 2) {
        u.leave();
    } else {
        u.disturb();
    }
}

void world::check_idle()
{
    runner_.run_until_idle();
    for (auto& w : informers_) {
        for (auto& u : w.users) u->view().check_reality();
        for (auto& each : w.waits) each->check_reality();
    }
    impatient_->check_idle();
    if (controller_) controller_->check_idle();
}

std::string world::unsettled()
{
    go_on();
    for (const auto& w : informers_)
        if (auto d = first_difference(w); !d.empty()) return d;
    if (auto d = roaming_->unsettled(); !d.empty()) return d;
    if (collections_)
        if (auto d = collections_->unsettled(); !d.empty()) return d;
    return controller_ ? controller_->unsettled() : std::string();
}

void world::quiet_point()
{
    if (!notes_.intact()) return;
    notes_.note("script", "quiet point");
    network_->mend();
    if (controller_) controller_->calm(true);
    const auto end = runner_.clock().now() + settle_limit;
    duration pause = std::chrono::seconds(1);
    std::string missing;
    do {
        runner_.advance(pause);
        check_idle();
        missing = unsettled();
        pause = std::min<duration>(pause * 2, std::chrono::seconds(60));
    } while (!missing.empty() && notes_.intact() && runner_.clock().now() < end);
    if (!missing.empty()) notes_.broken("script", "did not settle: " + missing);
    if (!notes_.intact()) return;

    ++verdict_.quiet_points;
    for (auto& w : informers_) {
        check_store(w, notes_);
        check_derived_states(w, notes_);
        verdict_.exact_comparisons += check_exactness(w, notes_);
        for (const auto& each : w.waits) each->check_settled();
    }
    for (const auto& t : histories_) {
        const auto real = runner_.run(server_->objects(t->resource().display_name()));
        if (!real || real->size() != t->objects().size()) notes_.broken("truth", "lost sight of the server");
    }
    check_late_joiner();
    if (controller_) controller_->calm(false);
}

void world::check_late_joiner()
{
    auto& w = informers_[below(random_, informers_.size())];
    const auto stored = w.informer.lister().size();
    join(w);
    auto& late = *w.users.back();
    if (late.options().own_end != 0 || late.options().filtered || late.options().resync > duration::zero()) return;
    const auto end = runner_.clock().now() + std::chrono::minutes(3);
    for (duration pause = std::chrono::seconds(1); !late.synced() && runner_.clock().now() < end; pause *= 2)
        runner_.advance(pause);
    check_idle();
    if (late.view().initial_adds() != stored) {
        notes_.broken(late.view().name(), "joined a quiet informer of " + std::to_string(stored) +
                                              " objects, received " + std::to_string(late.view().initial_adds()));
    }
    if (!late.synced()) notes_.broken(late.view().name(), "joined a quiet informer and is not synced");
}

void world::stop_controller()
{
    controller_->stop();
    const auto ended = runner_.run_until(
        [this] {
            controller_->go_on();
            return controller_->over();
        },
        {.time = std::chrono::minutes(10)});
    if (!ended) notes_.broken("controller", "does not stop: " + ended.error().describe());
}

/// Sometimes cancels the first wait for the stop, and waits again.
bool world::stop_informers()
{
    auto first = runner_.spawn(factory_->stop());
    if (one_in(random_, 2)) runner_.cancel_after(below(random_, 60), first, boost::asio::cancellation_type::terminal);
    runner_.run_until_idle();
    if (!must("stop", factory_->stop())) return false;
    if (!first.done()) notes_.broken("script", "of two that await stop() only one has completed");
    return true;
}

/// A handler that is added after the end must end, and so must its waits.
void world::check_late_ends()
{
    for (auto& w : informers_) {
        const auto late = w.informer.add_event_handler(event_handler<object>());
        const auto ended = runner_.run(late.ended());
        if (ended || ended.error() == cond::internal)
            notes_.broken(w.name, "a handler added after stop() does not end");
        const auto synced = runner_.run(late.has_synced());
        if (synced || synced.error() == cond::internal)
            notes_.broken(w.name, "a handler added after stop() has synced");
        outliving_.registrations.push_back(late);
    }
}

void world::keep_handles()
{
    for (const auto& w : informers_) {
        outliving_.informers.push_back(w.informer);
        outliving_.listers.push_back(w.informer.lister());
        for (const auto& u : w.users) outliving_.registrations.push_back(u->handle());
    }
    outliving_.clients.push_back(network_->unreliable());
    // Half of the factories are destroyed while their context lives.
    if (options_.seed % 4 < 2) outliving_.factory = std::move(factory_);
}

void world::stop()
{
    notes_.note("script", "stops");
    for (auto& w : informers_) {
        for (auto& u : w.users) u->expect_end();
        for (auto& each : w.waits) each->expect_end();
    }
    impatient_->expect_end();
    if (controller_) stop_controller();
    // Either end may come first.
    const bool early = collections_ && one_in(random_, 2);
    if (early && !must("stop the collections", collections_->stop())) return;
    if (!notes_.intact() || !stop_informers()) return;
    if (collections_ && !early && !must("stop the collections", collections_->stop())) return;
    for (const auto& w : informers_) {
        if (w.informer.state() != informer_state::stopped) notes_.broken(w.name, "is not stopped after stop()");
    }
    for (auto& w : informers_) {
        for (auto& u : w.users) u->end();
    }
    impatient_->end();
    check_late_ends();
    keep_handles();
    // Subscribers take waiting events at their own pace.
    runner_.advance(std::chrono::minutes(10));
    if (const auto open = server_->counters().open_watches; open != histories_.size()) {
        notes_.broken("server", std::to_string(open - histories_.size()) + " watches are still open after stop()");
    }
    for (const auto& f : followers_) f.cancel();
    factory_.reset();
    network_.reset();
    runner_.run_until_idle();
    for (const auto& w : informers_) {
        for (const auto& u : w.users) {
            if (u->busy()) notes_.broken(u->view().name(), "is in a call after stop()");
            if (!u->quiet()) notes_.broken(u->view().name(), "has something running after stop()");
        }
        for (const auto& each : w.waits) {
            if (!each->done()) notes_.broken(w.name, "a wait has not ended after stop()");
        }
    }
    if (const auto open = server_->counters().open_watches; open != 0) {
        notes_.broken("server", std::to_string(open) + " watches are still open at the end");
    }
    if (!must("server stop", server_->stop())) return;
    runner_.run_until_idle();
    if (const auto n = runner_.clock().waiting(); n != 0) {
        notes_.broken("clock", std::to_string(n) + " timers still run after stop()");
    }
    const auto handlers = runner_.handlers();
    runner_.advance(std::chrono::hours(1));
    if (runner_.handlers() != handlers) notes_.broken("script", "something ran after stop()");
}

} // namespace kubecoro::simulation
