#include "controller_runner.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::simulation {

namespace {

/// Gives the controller a private informer, whose first list no other user causes.
constexpr auto own_selector = "controller!=none";

controller_options settings_of(detail::random_source& random)
{
    controller_options o;
    o.workers = 1 + below(random, 3);
    if (one_in(random, 2)) o.deadline = std::chrono::seconds(3 + below(random, 20)) + std::chrono::nanoseconds(1);
    o.grace = std::chrono::seconds(below(random, 3) * 7);
    o.own_write_wait = std::chrono::seconds(one_in(random, 3) ? 0 : 20 + 580 * below(random, 2));
    o.sync_timeout = std::chrono::seconds(one_in(random, 4) ? 30 + below(random, 100) : 0);
    o.ageing = static_cast<unsigned>(below(random, 9));
    return o;
}

} // namespace

controller_runner::controller_runner(std::vector<controlled_informer> informers, informer_factory& factory,
                                     network& way, const roaming_informer& others, testing::runner& runner,
                                     journal& notes, std::uint64_t seed)
    : informers_(std::move(informers)), way_(&way), runner_(&runner), notes_(&notes), random_(seed), seed_(seed)
{
    informer_options own;
    own.label_selector = own_selector;
    informers_.push_back({.name = "own gadgets",
                          .informer = factory.get(roaming_informer::gadgets(), std::move(own)),
                          .real = [&others] { return others.real_gadgets(); },
                          .writable = false});
    begin_term();
}

controller_runner::~controller_runner() = default;

void controller_runner::begin_term()
{
    controllers_.push_back(std::make_unique<checked_controller>("controller-" + std::to_string(controllers_.size() + 1),
                                                                settings_of(random_), informers_, way_->unreliable(),
                                                                *runner_, *notes_, seed_ + controllers_.size()));
    now().calm(calm_);
    for (auto n = 1 + below(random_, 2); n > 0; --n) now().add_source();
    if (!one_in(random_, 8)) now().start();
}

void controller_runner::one()
{
    static constexpr std::array kinds{boost::asio::cancellation_type::terminal, boost::asio::cancellation_type::partial,
                                      boost::asio::cancellation_type::total};
    switch (below(random_, 12)) {
    case 0:
    case 1:
        now().add_source();
        break;
    case 2:
    case 3:
        now().remove_source();
        break;
    case 4:
    case 5:
        now().trigger();
        break;
    case 6:
        now().stop();
        break;
    case 7:
        if (one_in(random_, 3)) now().abandon();
        break;
    case 8: {
        const auto handlers = below(random_, 200);
        now().disturb(handlers, kinds[below(random_, kinds.size())]);
        break;
    }
    case 9:
        forbidden_ = !forbidden_;
        way_->forbid(forbidden_ ? "labelSelector=controller" : "");
        break;
    default:
        now().start();
    }
}

void controller_runner::go_on()
{
    for (auto& t : controllers_) t->go_on();
    if (stopping_ || !now().over()) return;
    if (calm_ || one_in(random_, 3)) begin_term();
}

void controller_runner::calm(bool yes)
{
    calm_ = yes;
    forbidden_ = false;
    for (auto& t : controllers_) t->calm(yes);
    if (yes) now().start();
}

std::string controller_runner::unsettled()
{
    go_on();
    if (calm_) now().start();
    for (const auto& t : controllers_)
        if (auto d = t->unsettled(); !d.empty()) return d;
    return {};
}

void controller_runner::stop()
{
    stopping_ = true;
    now().stop();
}

bool controller_runner::over() const
{
    return std::all_of(controllers_.begin(), controllers_.end(), [](const auto& t) { return t->over(); });
}

std::uint64_t controller_runner::runs() const
{
    std::uint64_t n = 0;
    for (const auto& t : controllers_) n += t->runs();
    return n;
}

} // namespace kubecoro::simulation
