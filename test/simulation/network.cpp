#include "network.hpp"

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/testing/fault_plan.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

#include <string>
#include <utility>

namespace kubecoro::simulation {

using testing::fault;

struct network::state
{
    apiserver::embedded_server* server;
    testing::runner* runner;
    journal* notes;
    detail::random_source random;
    detail::random_source rare;
    /// Used only for caches, so that the other faults stay unchanged.
    detail::random_source of_caches;
    /// The server's cache stands still from time to time.
    bool lags = false;
    std::shared_ptr<testing::fault_plan> plan;
    std::shared_ptr<lies> liar;
    std::shared_ptr<transport> carrier;
    bool down = false;

    [[nodiscard]] client make(std::shared_ptr<transport> over) const
    {
        client_options options;
        options.time = runner->shared_clock();
        options.seed = 1;
        return client(runner->executor(), std::move(over), std::move(options));
    }

    void note(const std::string& what) const { notes->note("fault", what); }
    [[nodiscard]] double chance() { return static_cast<double>(below(random, 4)) * 0.08; }
    void befall_next(fault what, const char* target, const std::string& words);
    void set_chances();
    void set_lies();
    void cut_server(bool forget);
    void toggle_down();
    void change_cache();
};

network::network(apiserver::embedded_server& server, testing::runner& runner, journal& notes, std::uint64_t seed,
                 wire_form watches)
    : state_(std::make_unique<state>())
{
    state_->server = &server;
    state_->runner = &runner;
    state_->notes = &notes;
    state_->random.seed(seed);
    state_->rare.seed(seed + 3);
    state_->of_caches.seed(seed + 5);
    state_->plan = std::make_shared<testing::fault_plan>(seed + 1);
    state_->liar =
        std::make_shared<lies>(detail::random_source(seed + 2), detail::random_source(seed + 4), watches, notes);
    // Two worlds in five have a server, or a proxy before it, that does not stream lists.
    switch (below(state_->random, 5)) {
    case 0:
        state_->liar->streams = streaming::refused;
        break;
    case 1:
        state_->liar->streams = streaming::ignored;
        break;
    default:
        break;
    }
    state_->liar->pages_at_zero = one_in(state_->of_caches, 3);
    state_->lags = one_in(state_->of_caches, 3);
    // Its streamed lists would be those of its cache.
    if (state_->lags) state_->liar->streams = streaming::refused;
    auto direct = std::make_shared<apiserver::in_process_transport>(server);
    auto lying = std::make_shared<lying_transport>(std::move(direct), state_->liar, runner.shared_clock());
    state_->carrier =
        std::make_shared<testing::faulty_transport>(std::move(lying), state_->plan, runner.shared_clock());
}

network::~network() = default;

client network::unreliable() const { return state_->make(state_->carrier); }

std::shared_ptr<transport> network::carrier() const { return state_->carrier; }

client network::reliable() const
{
    return state_->make(std::make_shared<apiserver::in_process_transport>(*state_->server));
}

void network::state::befall_next(fault what, const char* target, const std::string& words)
{
    note("soon: " + words);
    testing::fault_plan::rule rule;
    rule.what = std::move(what);
    rule.target = target;
    rule.nth = 1 + below(random, 3);
    plan->add(std::move(rule));
}

void network::state::set_chances()
{
    testing::fault_plan::chances c;
    c.refuse = chance();
    c.no_answer = chance() / 4;
    c.server_error = chance();
    c.too_many = chance();
    c.expired = chance();
    c.cut = chance();
    c.stall = chance() / 4;
    c.delay = chance();
    c.max_bytes = 1 + below(random, 8192);
    c.max_delay = std::chrono::seconds(1 + below(random, 40));
    c.max_piece = below(random, 2) * (1 + below(random, 300));
    plan->set_chances(c);
    note("chances of faults: refuse " + std::to_string(c.refuse) + ", cut " + std::to_string(c.cut));
}

void network::state::set_lies()
{
    const auto often = [&](std::uint64_t most) { return one_in(random, 2) ? 0 : 2 + below(random, most); };
    liar->error_answers = often(8);
    liar->wrong_events = often(8);
    liar->broken_ends = often(40);
    liar->short_watches = often(8);
    liar->lost_ends = often(4);
    note("lies: " + std::to_string(liar->error_answers) + " " + std::to_string(liar->wrong_events) + " " +
         std::to_string(liar->broken_ends) + " " + std::to_string(liar->short_watches) + " " +
         std::to_string(liar->lost_ends));
}

void network::state::cut_server(bool forget)
{
    note(forget ? "the server restarts" : "the server's connections are cut");
    server->cut_connections();
    // The truth must follow again before anything else changes.
    runner->run_until_idle();
    if (!forget) return;
    if (const auto done = runner->run(server->compact()); !done) notes->broken("fault", done.error().describe());
}

void network::state::toggle_down()
{
    down = !down;
    note(down ? "the network is down" : "the network is up");
    plan->set_down(down);
}

void network::state::change_cache()
{
    if (!lags || one_in(of_caches, 2)) return;
    const auto version = runner->run(server->resource_version());
    if (!version) return notes->broken("fault", version.error().describe());
    liar->stale_cache = one_in(of_caches, 4) ? 0 : static_cast<std::uint64_t>(*version);
    note("the cache is at " + std::to_string(liar->stale_cache));
}

std::uint64_t network::stale_answers() const { return state_->liar->stale_lists + state_->liar->refused_watches; }

void network::break_something()
{
    auto& s = *state_;
    s.change_cache();
    const auto some_bytes = [&] { return static_cast<std::size_t>(below(s.random, 6000)); };
    switch (below(s.random, 12)) {
    case 0:
        s.cut_server(false);
        break;
    case 1:
        s.cut_server(true);
        break;
    case 2:
        s.note("history is compacted");
        if (const auto done = s.runner->run(s.server->compact()); !done)
            s.notes->broken("fault", done.error().describe());
        break;
    case 3:
        s.toggle_down();
        break;
    case 4:
        s.set_chances();
        break;
    case 5:
        s.set_lies();
        break;
    case 6:
        s.befall_next(fault::stall(some_bytes()), "watch=", "a watch stalls");
        break;
    case 7:
        s.befall_next(fault::cut(some_bytes()), "watch=", "a watch is cut");
        break;
    case 8:
        s.befall_next(fault::no_answer(), "", "no answer");
        break;
    case 9:
        s.befall_next(fault::delay(std::chrono::milliseconds(below(s.random, 40'000))), "", "a delay");
        break;
    case 10:
        s.befall_next(fault::stall(some_bytes()), "limit=", "a page stalls");
        break;
    default:
        s.note("all connections are cut");
        s.plan->cut_open();
    }
}

void network::break_something_rare()
{
    auto& s = *state_;
    switch (below(s.rare, 3)) {
    case 0:
        s.liar->throws = one_in(s.rare, 3) ? 0 : 3 + below(s.rare, 20);
        s.note("one request in " + std::to_string(s.liar->throws) + " throws");
        break;
    case 1:
        s.liar->dead_addresses = one_in(s.rare, 3) ? 0 : 2 + below(s.rare, 10);
        s.note("one request in " + std::to_string(s.liar->dead_addresses) + " meets a dead address");
        break;
    default: {
        testing::fault_plan::rule rule;
        rule.what = fault::stall(static_cast<std::size_t>(below(s.rare, 4000)));
        rule.nth = 1 + below(s.rare, 5);
        s.note("a body will stall");
        s.plan->add(std::move(rule));
    }
    }
}

void network::forbid(std::string target)
{
    state_->note(target.empty() ? "allowed again" : "forbidden: " + target);
    state_->liar->forbidden = std::move(target);
}

void network::mend()
{
    state_->note("mended");
    if (state_->down) state_->toggle_down();
    state_->plan->clear();
    state_->liar->stop();
}

} // namespace kubecoro::simulation
