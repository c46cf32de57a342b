// Five candidates over one embedded server and bad networks: clocks of different rates, faults of requests, partitions, outages,
// candidates that join, leave, die, and are paused. Everything follows from the seed.
#include "election_fixture.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/hash.hpp>
#include <kubecoro/test/pausable_executor.hpp>
#include <kubecoro/test/skewed_clock.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

using namespace election_test;
using kubecoro::test::pausable_executor;
using kubecoro::test::pause_switch;
using kubecoro::test::skewed_clock;

namespace {

/// Clocks run at 0.92 to 1.08 of true time: by the bound of docs/guide/election.md the work then has 3 s to end.
constexpr double slowest = 0.92;
constexpr double fastest = 1.08;
constexpr auto longest_end = 2900ms;

/// Tables have the same order in every process, so that a seed alone repeats what it did among others.
[[maybe_unused]] const bool fixed_hashes = fix_hash_secrets(1);

/// A candidate in a process of its own.
struct replica
{
    std::shared_ptr<kt::fault_plan> plan = std::make_shared<kt::fault_plan>();
    std::shared_ptr<pause_switch> process;
    asio::any_io_executor executor = pausable_executor(process);
    std::shared_ptr<time_source> time;
    kt::recording_logger log;
    leader_elector elector;
    time_point wakes_at{};
    /// How long the work takes to end once it is cancelled.
    duration ends_within{};
    /// The term in which it works.
    std::optional<leadership> term;
    kt::task<void> running;
    std::function<void()> on_work;

    replica(cluster& c, std::shared_ptr<time_source> clock, leader_election_options o)
        : process(std::make_shared<pause_switch>(c.run.executor())),
          time(std::move(clock)),
          elector(executor, c.connect(plan, executor), completed(std::move(o)))
    {
    }
    leader_election_options completed(leader_election_options o)
    {
        o.lease = "janitor";
        o.seed = seed_of(o.identity);
        o.time = time;
        o.log = log.handle();
        return o;
    }
    asio::awaitable<result<>> work(leadership l)
    {
        struct mark
        {
            std::optional<leadership>& term;
            explicit mark(std::optional<leadership>& t) : term(t) {}
            mark(const mark&) = delete;
            mark& operator=(const mark&) = delete;
            ~mark() { term.reset(); }
        };
        term = l;
        const mark here(term);
        on_work();
        const auto asked = co_await catch_failure(l.ending());
        co_await finish_despite_cancellation();
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await sleep_for(*time, ends_within);
        co_return asked;
    }
    void start(kt::runner& run)
    {
        running = run.spawn(elector.run([this](leadership l) { return work(std::move(l)); }));
    }
    /// Works, and would say so before a write.
    [[nodiscard]] bool acts() const { return term && !process->is_paused() && term->check(); }
};

class simulation
{
public:
    explicit simulation(std::uint64_t seed)
        : run_(seed, seed % 3 == 0 ? kt::ready_order::shuffled : kt::ready_order::fifo), pauses_(seed % 2 == 0)
    {
    }
    ~simulation()
    {
        for (auto& r : replicas_)
            if (r) die(r);
        static_cast<void>(run_.run(api_.server.stop()));
    }
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    /// Empty, or the first broken promise.
    std::string play()
    {
        const auto steps = 20 + below(20);
        for (int i = 0; i < steps && broken_.empty(); ++i) {
            act();
            run_.advance(std::chrono::milliseconds(below(10'000)));
            for (auto& r : replicas_)
                if (r && run_.clock().now() >= r->wakes_at) r->process->resume();
            look();
        }
        if (broken_.empty()) come_to_rest();
        return broken_;
    }
    int terms = 0;
    /// A hash of all terms, in order.
    std::uint64_t digest = 0;

private:
    double unit() { return detail::next_unit(run_.random()); }
    int below(int n) { return static_cast<int>(unit() * n); }
    std::vector<replica*> there()
    {
        std::vector<replica*> out;
        for (auto& r : replicas_)
            if (r) out.push_back(r.get());
        return out;
    }

    void act()
    {
        const auto what = unit();
        auto& r = replicas_[static_cast<std::size_t>(below(static_cast<int>(replicas_.size())))];
        if (!r)
            r = join();
        else if (what < 0.2)
            r->plan->set_down(unit() < 0.6);
        else if (what < 0.4)
            r->plan->set_chances(unit() < 0.3 ? kt::fault_plan::chances() : bad_network());
        else if (what < 0.5)
            outage();
        else if (what < 0.65)
            die(r);
        else if (what < 0.8)
            leave(r);
        else if (pauses_)
            pause(*r);
    }
    static kt::fault_plan::chances bad_network()
    {
        return {.refuse = 0.1,
                .no_answer = 0.05,
                .server_error = 0.05,
                .too_many = 0.02,
                .cut = 0.1,
                .stall = 0.03,
                .delay = 0.2,
                .max_delay = 8s};
    }
    std::unique_ptr<replica> join()
    {
        leader_election_options o;
        o.identity = "replica-" + std::to_string(joined_++);
        o.grace = std::chrono::seconds(below(10));
        o.watch = unit() < 0.8;
        o.release = unit() < 0.8;
        const auto rate = slowest + (fastest - slowest) * unit();
        auto r =
            std::make_unique<replica>(api_, std::make_shared<skewed_clock>(run_.shared_clock(), rate), std::move(o));
        r->ends_within = std::chrono::milliseconds(below(static_cast<int>(longest_end.count())));
        r->on_work = [this, who = r.get()] { note_term(*who); };
        r->plan->set_chances(unit() < 0.5 ? kt::fault_plan::chances() : bad_network());
        r->start(run_);
        return r;
    }
    void note_term(const replica& r)
    {
        ++terms;
        const auto token = r.term->fencing_token();
        if (token <= last_token_) broken_ = "a fencing token that does not grow";
        last_token_ = token;
        digest = seed_of(std::to_string(digest) + r.elector.identity() + '@' + std::to_string(token) + ' ' +
                         std::to_string(run_.clock().now().time_since_epoch().count()));
        look();
    }
    /// A leader that was stopped amid its work cannot know what has happened meanwhile: there check() must fail.
    void look()
    {
        const auto all = there();
        const auto working = std::count_if(all.begin(), all.end(), [](const auto* r) { return r->term.has_value(); });
        const auto acting = std::count_if(all.begin(), all.end(), [](const auto* r) { return r->acts(); });
        if (!pauses_ && working > 1) broken_ = "two leaders at work";
        if (acting > 1) broken_ = "two leaders whose check() succeeds";
    }
    void pause(replica& r)
    {
        r.process->pause();
        r.wakes_at = run_.clock().now() + std::chrono::milliseconds(below(40'000));
    }
    /// The end of a process: its work ends at once, and nothing of it reaches the server any more.
    void die(std::unique_ptr<replica>& r)
    {
        r->plan->set_down(true);
        r->ends_within = 0s;
        r->process->resume();
        r->elector.request_stop_at_once();
        leave(r);
    }
    void leave(std::unique_ptr<replica>& r)
    {
        r->process->resume();
        // It has the outcome of the election; the runner fails with `internal` if there is no end.
        if (const auto ended = run_.run(r->elector.stop()); !ended && ended.error() == cond::internal)
            broken_ = "an election does not end: " + ended.error().describe() + ", " + r->elector.describe();
        if (r->term) broken_ = "the end of an election whose work goes on";
        r.reset();
    }
    void outage()
    {
        for (auto* r : there()) r->plan->set_down(true);
        run_.advance(std::chrono::milliseconds(below(40'000)));
        for (auto* r : there()) r->plan->set_down(false);
    }
    void come_to_rest()
    {
        if (there().empty()) replicas_.front() = join();
        for (auto* r : there()) {
            r->process->resume();
            r->plan->clear();
            r->plan->cut_open(); // a watch that has gone silent is noticed only after minutes
            r->plan->set_down(false);
        }
        run_.advance(180s);
        look();
        const auto all = there();
        const auto acting = std::count_if(all.begin(), all.end(), [](const auto* r) { return r->acts(); });
        // A leader that has lost its leadership is no candidate any more, until its program runs again.
        const auto over = std::count_if(all.begin(), all.end(), [](const auto* r) { return r->running.done(); });
        if (acting + over == 0) broken_ = "no leader three minutes after the last fault";
        if (acting == 0 && over != static_cast<std::ptrdiff_t>(all.size())) broken_ = "candidates, and no leader";
    }

    kt::runner run_;
    cluster api_{run_};
    std::array<std::unique_ptr<replica>, 5> replicas_;
    std::string broken_;
    bool pauses_;
    std::uint64_t last_token_ = 0;
    int joined_ = 0;
};

} // namespace

TEST_CASE("leader election simulation: never two leaders at work over an embedded server, and one in the end",
          "[election]")
{
    REQUIRE(fixed_hashes);
    const std::uint64_t seeds = std::getenv("KUBECORO_LONG") != nullptr ? 2'000 : 40;
    const auto* only = std::getenv("KUBECORO_SEED");
    int terms = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        if (only != nullptr && std::to_string(seed) != only) continue;
        simulation world(seed);
        const auto broken = world.play();
        INFO("seed " << seed << ": " << broken);
        REQUIRE(broken.empty());
        terms += world.terms;
    }
    if (only == nullptr) CHECK(terms > static_cast<int>(seeds) * 3);
}

TEST_CASE("leader election simulation: a seed repeats exactly, whatever was played before it", "[election]")
{
    const auto played = [](std::uint64_t seed) {
        simulation world(seed);
        static_cast<void>(world.play());
        return world.digest;
    };
    const auto first = played(4); // pauses, in order
    const auto other = played(6); // pauses, shuffled
    CHECK(first != 0);
    CHECK(played(4) == first);
    CHECK(played(6) == other);
    CHECK(first != other);
}
