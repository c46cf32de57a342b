#include "reloader_world.hpp"

#include "marks.hpp"

#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kubecoro::simulation {

namespace {

/// A workload that lost its marks several times waits for up to an hour.
constexpr duration settle_limit = std::chrono::hours(4);
/// A silent watch is noticed and replaced within it.
constexpr duration catch_up_limit = std::chrono::minutes(15);

/// Seeds of the parts, so that a change in one does not shift the others.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t part) { return seed * 1'000'003 + part; }

/// Makes the runner take small steps when nothing is ready.
boost::asio::awaitable<result<>> tick(std::shared_ptr<time_source> time)
{
    for (;;) {
        KUBECORO_TRY(co_await sleep_for(*time, std::chrono::seconds(5)));
    }
}

} // namespace

reloader_world::reloader_world(std::uint64_t seed, bool echo)
    : seed_(seed), runner_(seed), notes_(runner_.shared_clock(), echo), random_(seed), records_(one_in(random_, 3))
{
}

reloader_world::~reloader_world()
{
    // In a broken world coroutines still run: destroy them before the objects they use.
    runner_.destroy_coroutines();
}

template<class T>
bool reloader_world::must(std::string_view what, boost::asio::awaitable<result<T>> body)
{
    const auto done = runner_.run(std::move(body));
    if (!done) notes_.broken(what, done.error().describe());
    return done.has_value();
}

reloader_verdict reloader_world::run()
{
    start();
    for (auto rounds = 1 + below(random_, 3); rounds > 0 && notes_.intact(); --rounds) {
        for (auto steps = 15 + below(random_, 30); steps > 0 && notes_.intact(); --steps) step();
        quiet_point();
    }
    if (notes_.intact()) stop();
    ledger book(records_, notes_);
    if (notes_.intact()) book.check(truths_);
    if (!notes_.intact()) {
        verdict_.broken = notes_.first_broken();
        verdict_.last_steps = notes_.last_steps();
    }
    verdict_.rolls = book.rolls();
    verdict_.causes = book.causes();
    verdict_.operators = operators_->begun();
    verdict_.hash = notes_.hash();
    verdict_.steps = notes_.steps();
    return verdict_;
}

void reloader_world::start()
{
    apiserver::server_options options;
    options.time = runner_.shared_clock();
    options.cluster.seed = seed_of(seed_, 1);
    options.cluster.history = one_in(random_, 2) ? 1000 : 50;
    server_ = std::make_unique<apiserver::embedded_server>(runner_.executor(), std::move(options));
    network_.emplace(*server_, runner_, notes_, seed_of(seed_, 2), watches_of(seed_));
    for (const auto& resource : reloader_resources()) {
        truths_.push_back(std::make_unique<server_history>(resource, notes_));
        followers_.push_back(runner_.spawn(truths_.back()->follow(network_->reliable())));
    }
    followers_.push_back(runner_.spawn(tick(runner_.shared_clock())));
    runner_.run_until_idle();
    users_.emplace(*server_, notes_, seed_of(seed_, 3));
    must("prepare", users_->prepare());
    const auto how = records_ ? config_reloader::adoption::record : config_reloader::adoption::roll;
    operators_.emplace(*network_, runner_, notes_, how, seed_of(seed_, 4));
    operators_->start_one();
}

void reloader_world::step()
{
    operators_->restart_ended();
    const auto dice = below(random_, 20);
    if (dice < 10) {
        for (auto n = 1 + below(random_, 4); n > 0; --n) must("operation", users_->one());
    } else if (dice < 15) {
        let_time_pass();
    } else if (dice < 17) {
        break_something();
    } else {
        change_operators();
    }
    // Often the next step follows before all consequences of this one.
    if (one_in(random_, 2)) {
        runner_.run_until_idle();
    } else {
        runner_.step(below(random_, 80));
    }
}

void reloader_world::break_something()
{
    // A fault may make the server forget its history, before and after another write of an operator.
    let_truth_catch_up();
    network_->break_something();
    let_truth_catch_up();
}

void reloader_world::let_truth_catch_up()
{
    runner_.run_until_idle();
    const auto version = runner_.run(server_->resource_version());
    if (!version) return notes_.broken("truth", version.error().describe());
    for (auto& t : truths_) t->caught_up(std::to_string(*version));
}

void reloader_world::change_operators()
{
    switch (below(random_, 3)) {
    case 0:
        operators_->stop_one();
        break;
    case 1:
        operators_->kill_one();
        break;
    default:
        if (operators_->running() < 2) operators_->start_one();
    }
}

void reloader_world::let_time_pass()
{
    if (one_in(random_, 4)) {
        runner_.advance(std::chrono::seconds(below(random_, 200)));
    } else {
        runner_.advance(std::chrono::milliseconds(below(random_, 2000)));
    }
}

std::string reloader_world::unsettled() const
{
    for (std::size_t i = content_resources; i < truths_.size(); ++i) {
        for (const auto& [key, workload] : truths_[i]->objects()) {
            const auto wanted = wanted_checksum(workload, truths_);
            if (wanted.empty()) continue;
            const auto applied = config_reloader::marks::last_applied(workload, template_of(workload));
            if (applied != wanted)
                return std::string(workload.kind()) + " " + to_string(key) + " has \"" + std::string(applied) +
                       "\" and should have \"" + wanted + "\"";
        }
    }
    return {};
}

bool reloader_world::awaits_content() const
{
    for (std::size_t i = content_resources; i < truths_.size(); ++i) {
        const auto& workloads = truths_[i]->objects();
        if (std::ranges::any_of(workloads, [&](const auto& w) { return wanted_checksum(w.second, truths_).empty(); }))
            return true;
    }
    return false;
}

std::uint64_t reloader_world::writes() const
{
    std::uint64_t n = 0;
    for (std::size_t i = content_resources; i < truths_.size(); ++i) n += truths_[i]->length();
    return n;
}

void reloader_world::quiet_point()
{
    if (!notes_.intact()) return;
    notes_.note("script", "quiet point");
    network_->mend();
    if (operators_->running() == 0) operators_->start_one();
    const auto end = runner_.clock().now() + settle_limit;
    duration pause = std::chrono::seconds(1);
    std::string missing;
    do {
        operators_->restart_ended();
        runner_.advance(pause);
        missing = unsettled();
        pause = std::min<duration>(pause * 2, std::chrono::minutes(10));
    } while (!missing.empty() && notes_.intact() && runner_.clock().now() < end);
    if (!missing.empty()) return notes_.broken("script", "missed: " + missing);
    ++verdict_.quiet_points;
    // A workload whose references are missing has no wanted state: it may be written until its operator has seen that.
    if (awaits_content()) runner_.advance(catch_up_limit);
    // A workload in its wanted state must not be written.
    const auto before = writes();
    runner_.advance(std::chrono::hours(1));
    if (writes() != before) notes_.broken("script", "an operator writes although nothing changes");
}

void reloader_world::stop()
{
    operators_->stop_all();
    runner_.advance(std::chrono::minutes(1));
    if (const auto open = server_->counters().open_watches; open != truths_.size())
        notes_.broken("server", std::to_string(open - truths_.size()) + " watches are still open after stop()");
    for (const auto& f : followers_) f.cancel();
    network_.reset();
    runner_.run_until_idle();
    if (!must("server stop", server_->stop())) return;
    runner_.run_until_idle();
    if (const auto n = runner_.clock().waiting(); n != 0)
        notes_.broken("clock", std::to_string(n) + " timers still run after stop()");
}

} // namespace kubecoro::simulation
