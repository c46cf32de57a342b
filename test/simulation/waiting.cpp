#include "waiting.hpp"

#include "operations.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

waiting::waiting(std::string name, shared_informer<object> informer, scope covered, const server_history& real,
                 testing::runner& runner, journal& notes, std::uint64_t seed)
    : name_(std::move(name)), covered_(std::move(covered)), real_(&real), runner_(&runner), notes_(&notes)
{
    detail::random_source random(seed);
    const auto& all = operations::namespaces();
    key_.ns = covered_.namespaces.empty() ? all[below(random, all.size())] : *covered_.namespaces.begin();
    key_.name = "o" + std::to_string(below(random, 6)); // one of them is never created
    wish_ = static_cast<wish>(below(random, 3));
    if (!one_in(random, 3)) limit_ = std::chrono::seconds(1 + below(random, 300));
    task_ = runner.spawn(run(std::move(informer)));
}

bool waiting::is_met(const object& o) const
{
    if (wish_ == wish::gone) return !o;
    return o && (wish_ == wish::there || o.labels()["app"].as_string() == "shop");
}

asio::awaitable<result<>> waiting::run(shared_informer<object> informer)
{
    notes_->note(name_, "waits for " + to_string(key_));
    const auto began = runner_->clock().now();
    object_condition met("as wished", [this](const object& o) { return is_met(o); });
    const auto outcome = co_await informer.wait_for(key_, std::move(met), limit_);
    notes_->note(name_, outcome ? "has ended" : "has failed:  " + outcome.error().describe());
    if (outcome) {
        got_ = *outcome;
        if (!is_met(got_)) broken("ended with an object that does not satisfy the condition");
    } else if (outcome.error() == cond::timed_out) {
        if (limit_ == duration::zero() || runner_->clock().now() - began != limit_)
            broken("timed out at the wrong time");
    } else if (!given_up_ && !end_expected_ && outcome.error() != cond::corrupt) { // corrupt: an answer was no list
        broken("ended by itself: " + outcome.error().describe());
    }
    co_return result<>{};
}

void waiting::give_up()
{
    if (done()) return;
    notes_->note(name_, "gives up");
    given_up_ = true;
    task_.cancel();
}

void waiting::check_reality()
{
    const object got = std::exchange(got_, {});
    if (got && !real_->at(got.uid(), version_of(got))) broken("a state the server never had: " + brief(got));
}

void waiting::check_settled() const
{
    if (done()) return;
    const auto objects = real_->objects(covered_);
    const auto at = objects.find(key_);
    if (is_met(at == objects.end() ? object() : at->second)) broken("still waits for " + to_string(key_));
}

} // namespace kubecoro::simulation
