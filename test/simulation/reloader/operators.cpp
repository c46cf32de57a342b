#include "operators.hpp"

#include <kubecoro/testing/faulty_transport.hpp>

#include <utility>

namespace kubecoro::simulation {

namespace {

/// Slower than the defaults: worlds last for hours, and each renewal is a write.
leader_election_options election_of(const std::string& identity, std::uint64_t seed)
{
    leader_election_options out{.lease = "config-reloader", .identity = identity};
    out.lease_duration = std::chrono::minutes{2};
    out.renew_deadline = std::chrono::seconds{80};
    out.retry_period = std::chrono::seconds{20};
    out.seed = seed;
    return out;
}

} // namespace

operators::operators(network& way, testing::runner& runner, journal& notes, config_reloader::adoption first_sight,
                     std::uint64_t seed)
    : way_(&way), runner_(&runner), notes_(&notes), first_sight_(first_sight), random_(seed), elect_(one_in(random_, 2))
{
}

operators::~operators() = default;

void operators::start_one()
{
    instance one;
    one.name = "operator-" + std::to_string(++begun_);
    one.plan = std::make_shared<testing::fault_plan>(random_());
    run(one);
    instances_.push_back(std::move(one));
}

void operators::run(instance& which)
{
    client_options how;
    how.time = runner_->shared_clock();
    how.seed = 1;
    how.log = logger::silent();
    auto carrier = std::make_shared<testing::faulty_transport>(way_->carrier(), which.plan, runner_->shared_clock());
    client cluster(runner_->executor(), std::move(carrier), std::move(how));
    manager_options managing;
    managing.name = "config-reloader";
    managing.seed = random_();
    managing.informers.policy.page_size = one_in(random_, 2) ? 0 : 2;
    managing.log = logger::silent();
    if (elect_) managing.leader_election = election_of(which.name, random_());
    config_reloader::reloader_options options;
    options.first_sight = first_sight_;
    options.workers = 1 + below(random_, 3);
    notes_->note(which.name, "starts");
    which.subject = std::make_unique<manager>(std::move(cluster), std::move(managing));
    (void)config_reloader::add_reloader(*which.subject, options);
    which.running = runner_->spawn(which.subject->run());
}

void operators::restart_ended()
{
    for (auto& each : instances_) {
        if (!each.running.done()) continue;
        const auto& ended = each.running.outcome();
        notes_->note(each.name, "ended: " + (ended ? std::string("without a failure") : ended.error().describe()));
        each.subject.reset();
        run(each);
    }
}

void operators::stop_one()
{
    if (instances_.empty()) return;
    auto& which = any_one();
    stop(which);
    remove(which);
}

void operators::kill_one()
{
    if (instances_.empty()) return;
    auto& which = any_one();
    notes_->note(which.name, "is killed");
    which.plan->set_down(true);
    stop(which);
    remove(which);
}

void operators::stop_all()
{
    while (!instances_.empty()) stop_one();
}

operators::instance& operators::any_one() { return instances_[below(random_, instances_.size())]; }

void operators::remove(const instance& which) { instances_.erase(instances_.begin() + (&which - instances_.data())); }

void operators::stop(instance& which)
{
    const bool ended = which.running.done();
    notes_->note(which.name, "stops");
    // Runs that hang in a faulty network end with the grace period, and the first lists of a manager may be late in the same
    // moment: both are failures of the network.
    const auto stopped = runner_->run(which.subject->stop());
    const bool late = !stopped && (stopped.error() == cond::timed_out ||
                                   stopped.error().describe().find("did not sync within") != std::string::npos);
    if (!stopped && !ended && !late) notes_->broken(which.name, stopped.error().describe());
}

} // namespace kubecoro::simulation
