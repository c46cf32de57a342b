#include "operators.hpp"

#include <kubecoro/testing/faulty_transport.hpp>

#include <utility>

namespace kubecoro::simulation {

operators::operators(network& way, testing::runner& runner, journal& notes, config_reloader::adoption first_sight,
                     std::uint64_t seed)
    : way_(&way), runner_(&runner), notes_(&notes), first_sight_(first_sight), random_(seed)
{
}

void operators::start_one()
{
    instance one;
    one.name = "operator-" + std::to_string(++begun_);
    one.plan = std::make_shared<testing::fault_plan>(random_());
    client_options how;
    how.time = runner_->shared_clock();
    how.seed = 1;
    auto carrier = std::make_shared<testing::faulty_transport>(way_->carrier(), one.plan, runner_->shared_clock());
    client cluster(runner_->executor(), std::move(carrier), std::move(how));
    config_reloader::reloader_options options;
    options.first_sight = first_sight_;
    options.workers = 1 + below(random_, 3);
    options.informers.time = runner_->shared_clock();
    options.informers.seed = random_();
    options.informers.policy.page_size = one_in(random_, 2) ? 0 : 2;
    notes_->note(one.name, "starts");
    one.subject =
        std::make_unique<config_reloader::reloader>(runner_->executor(), std::move(cluster), std::move(options));
    one.subject->start();
    instances_.push_back(std::move(one));
}

void operators::stop_one()
{
    if (instances_.empty()) return;
    const auto which = instances_.begin() + static_cast<std::ptrdiff_t>(below(random_, instances_.size()));
    stop(*which);
    instances_.erase(which);
}

void operators::kill_one()
{
    if (instances_.empty()) return;
    const auto which = instances_.begin() + static_cast<std::ptrdiff_t>(below(random_, instances_.size()));
    notes_->note(which->name, "is killed");
    which->plan->set_down(true);
    stop(*which);
    instances_.erase(which);
}

void operators::stop_all()
{
    while (!instances_.empty()) stop_one();
}

void operators::stop(instance& which)
{
    notes_->note(which.name, "stops");
    // Runs that hang in a faulty network end with the grace period, which is a failure.
    const auto stopped = runner_->run(which.subject->stop());
    if (!stopped && stopped.error() != cond::timed_out) notes_->broken(which.name, stopped.error().describe());
}

} // namespace kubecoro::simulation
