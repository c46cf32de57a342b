// Random programs, executed by the queue and by the simplest implementation of the same rules.
#include "queue_fixture.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

using namespace kubecoro::test;
using kubecoro::duration;
using kubecoro::time_point;
using kubecoro::workqueue;

namespace {

constexpr unsigned ageing = 3;
constexpr duration first_delay = 1ms;
constexpr duration longest_delay = 64ms;

/// Options of a queue with debounce and minimum interval.
struct pace
{
    duration debounce{0};
    duration max_debounce{0};
    duration min_interval{0};
};

/// The rules, implemented naively: linear searches, sorting on demand.
class reference
{
public:
    struct ready_key
    {
        int key;
        int priority;
    };
    struct delayed_key
    {
        time_point due;
        int priority;
    };

    explicit reference(const pace& p) : pace_(p) {}

    std::vector<ready_key> ready; // in order of arrival
    std::map<int, int> held;      // need a run, with their priorities
    std::map<int, int> again;     // added during their run, with their priorities
    std::set<int> in_work;
    std::map<int, delayed_key> delayed;
    std::map<int, unsigned> failures;
    bool down = false;

    void add(int key, int priority, time_point now)
    {
        if (down) return;
        auto& t = times_[key];
        if (!t.limit) t.limit = now + pace_.max_debounce;
        t.quiet = std::min(now + pace_.debounce, *t.limit);
        want(key, priority, now);
    }
    /// Whatever events come.
    void add_due(int key, int priority, time_point now)
    {
        times_[key].limit = times_[key].quiet = now;
        want(key, priority, now);
    }
    void put_back(int key, int priority, time_point now)
    {
        skip(key);
        add_due(key, priority, now);
    }
    void skip(int key) { times_[key].cool = {}; }
    void add_at(int key, time_point due, int priority)
    {
        const auto [at, fresh] = delayed.try_emplace(key, delayed_key{due, priority});
        if (fresh) return;
        at->second.due = std::min(at->second.due, due);
        at->second.priority = std::max(at->second.priority, priority);
    }
    void add_after(int key, duration d, int priority, time_point now)
    {
        if (down) return;
        if (d <= 0s)
            add_due(key, priority, now);
        else
            add_at(key, now + d, priority);
    }
    void add_rate_limited(int key, int priority, time_point now)
    {
        if (!down) add_at(key, now + backoff(failures[key]++), priority);
    }
    void retry(int key, int priority, time_point now)
    {
        if (failures.contains(key) && delayed.contains(key)) {
            if (!down) add_at(key, now + backoff(failures[key] - 1), priority);
        } else {
            add_rate_limited(key, priority, now);
        }
    }
    void done(int key, time_point now)
    {
        in_work.erase(key);
        const auto at = again.find(key);
        if (at == again.end()) return;
        const int priority = at->second;
        again.erase(at);
        if (!down)
            admit(key, priority, now);
        else if (times_[key].cool <= now)
            ready.push_back({key, priority});
    }
    void pass(time_point now)
    {
        for (;;) {
            const auto next = std::min_element(delayed.begin(), delayed.end(), [](const auto& a, const auto& b) {
                return a.second.due < b.second.due;
            });
            const auto freed = first_held();
            const auto due = next == delayed.end() ? time_point::max() : next->second.due;
            const auto allowed_at = freed == held.end() ? time_point::max() : allowed(freed->first);
            if (std::min(due, allowed_at) > now) return;
            if (due <= allowed_at) {
                const auto [key, when] = *next;
                delayed.erase(next);
                add_due(key, when.priority, due);
            } else {
                ready.push_back({freed->first, freed->second});
                held.erase(freed);
            }
        }
    }
    std::optional<ready_key> take(time_point now)
    {
        if (ready.empty()) return std::nullopt;
        std::set<int> priorities;
        for (const auto& r : ready) priorities.insert(r.priority);
        auto chosen =
            std::find_if(ready.begin(), ready.end(), [&](const auto& r) { return r.priority == *priorities.rbegin(); });
        passed_over_ = priorities.size() == 1 ? 0 : passed_over_ + 1;
        if (passed_over_ == ageing) {
            passed_over_ = 0;
            chosen = ready.begin();
        }
        const auto out = *chosen;
        ready.erase(chosen);
        in_work.insert(out.key);
        if (!down) times_[out.key] = {.limit = {}, .quiet = {}, .cool = now + pace_.min_interval};
        return out;
    }
    void shut_down(time_point now)
    {
        down = true;
        delayed.clear();
        for (; !held.empty(); held.erase(first_held()))
            if (const auto [key, priority] = *first_held(); times_[key].cool <= now) ready.push_back({key, priority});
        for (auto& [key, t] : times_) t.quiet = {};
    }
    [[nodiscard]] std::size_t keys(time_point now) const
    {
        std::set<int> all(in_work);
        for (const auto& [k, p] : held) all.insert(k);
        for (const auto& [k, t] : times_)
            if (!down && t.cool > now) all.insert(k);
        for (const auto& r : ready) all.insert(r.key);
        for (const auto& [k, d] : delayed) all.insert(k);
        for (const auto& [k, f] : failures) all.insert(k);
        return all.size();
    }

private:
    static duration backoff(unsigned failed)
    {
        duration d = first_delay;
        while (failed-- > 0 && d < longest_delay) d *= 2;
        return std::min(d, longest_delay);
    }
    struct key_times
    {
        std::optional<time_point> limit;
        time_point quiet;
        time_point cool;
    };
    void want(int key, int priority, time_point now)
    {
        if (in_work.contains(key)) {
            const auto [at, fresh] = again.try_emplace(key, priority);
            if (!fresh) at->second = std::max(at->second, priority);
            return;
        }
        const auto at = std::find_if(ready.begin(), ready.end(), [key](const auto& r) { return r.key == key; });
        if (at == ready.end()) {
            const auto before = held.find(key);
            admit(key, before == held.end() ? priority : std::max(priority, before->second), now);
        } else if (at->priority < priority) {
            ready.erase(at);
            ready.push_back({key, priority});
        }
    }
    void admit(int key, int priority, time_point now)
    {
        held.erase(key);
        if (allowed(key) > now)
            held[key] = priority;
        else
            ready.push_back({key, priority});
    }
    [[nodiscard]] time_point allowed(int key) const { return std::max(times_.at(key).quiet, times_.at(key).cool); }
    [[nodiscard]] std::map<int, int>::iterator first_held()
    {
        return std::min_element(held.begin(), held.end(),
                                [this](const auto& a, const auto& b) { return allowed(a.first) < allowed(b.first); });
    }

    pace pace_;
    std::map<int, key_times> times_;
    unsigned passed_over_ = 0;
};

class program
{
public:
    explicit program(std::uint64_t seed)
        : random_(seed),
          pace_(some_pace()),
          queue_(run_.executor(), options()),
          model_(pace_),
          keys_(2 + static_cast<int>(random_() % 10))
    {
    }

    void run()
    {
        const std::size_t steps = 10 + random_() % 60;
        for (std::size_t n = 0; n < steps; ++n) {
            // Every step has its own nanosecond, so that no two delayed keys are due at the same time.
            pass(1ns);
            step();
            run_.run_until_idle();
            check();
        }
        while (!items_.empty()) finish();
        run_.run_until_idle();
        check();
    }

private:
    kubecoro::workqueue_options options()
    {
        kubecoro::workqueue_options o;
        o.limiter = kubecoro::exponential_limiter(first_delay, longest_delay);
        o.ageing = ageing;
        o.debounce = pace_.debounce;
        o.min_interval = pace_.min_interval;
        o.time = run_.shared_clock();
        return o;
    }
    /// One of four programs has neither debounce nor interval, and another one both.
    pace some_pace()
    {
        const auto kind = random_() % 4;
        const duration debounce = kind % 2 == 0 ? 0ms : std::chrono::milliseconds(1 + below(8));
        return {.debounce = debounce,
                .max_debounce = 10 * debounce,
                .min_interval = kind < 2 ? 0ms : std::chrono::milliseconds(1 + below(40))};
    }
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    int key() { return below(keys_); }
    int priority() { return below(3) - 1; }
    time_point now() { return run_.clock().now(); }

    void pass(duration d)
    {
        run_.advance(d);
        model_.pass(now());
    }

    void step()
    {
        const int what = below(100);
        if (what < 20) return add();
        if (what < 40) return take();
        if (what < 60) return finish();
        if (what < 70) return add_delayed();
        if (what < 78) return add_limited();
        if (what < 82) return forget();
        if (what < 97) return pass(std::chrono::milliseconds(1 + below(20)));
        if (what == 97) return add_batch();
        if (what == 98 && below(4) == 0) return shut_down();
    }

    void add()
    {
        const int k = key();
        const int p = priority();
        queue_.add(k, p);
        model_.add(k, p, now());
    }
    void add_batch()
    {
        // Keys that are due at the same time have no order: one of them is enough then.
        std::vector<int> batch(static_cast<std::size_t>(pace_.debounce == 0ms ? below(20) : 1));
        const int p = priority();
        for (auto& k : batch) model_.add(k = key(), p, now());
        queue_.add_batch(batch, p);
    }
    void add_delayed()
    {
        const int k = key();
        const int p = priority();
        const auto d = std::chrono::milliseconds(below(30) - 2);
        queue_.add_after(k, d, p);
        model_.add_after(k, d, p, now());
    }
    void add_limited()
    {
        const int k = key();
        const int p = priority();
        queue_.add_rate_limited(k, p);
        model_.add_rate_limited(k, p, now());
    }
    void forget()
    {
        const int k = key();
        queue_.forget(k);
        model_.failures.erase(k);
    }
    void take()
    {
        if (auto item = queue_.try_get())
            keep(std::move(*item));
        else
            REQUIRE_FALSE(model_.take(now()));
    }
    /// Keeps an item that was just taken.
    void keep(workqueue<int>::item item)
    {
        const auto expected = model_.take(now());
        REQUIRE(expected);
        REQUIRE(item.key() == expected->key);
        REQUIRE(item.priority() == expected->priority);
        items_.push_back(std::move(item));
    }
    void next(workqueue<int>::item item)
    {
        const int k = item.key();
        const bool more = item.next();
        REQUIRE(more == static_cast<bool>(item));
        model_.failures.erase(k);
        model_.done(k, now());
        if (more)
            keep(std::move(item));
        else
            REQUIRE_FALSE(model_.take(now()));
    }
    void finish()
    {
        if (items_.empty()) return;
        const auto at = items_.begin() + below(static_cast<int>(items_.size()));
        auto item = std::move(*at);
        items_.erase(at);
        const int k = item.key();
        const int p = item.priority();
        switch (below(7)) {
        case 0:
            item.done();
            break;
        case 1:
            item.succeeded();
            model_.failures.erase(k);
            break;
        case 2:
            item.retry();
            model_.retry(k, p, now());
            break;
        case 3:
            item.again_after(5ms);
            model_.failures.erase(k);
            model_.add_after(k, 5ms, p, now());
            break;
        case 4:
            item.skip();
            model_.skip(k);
            break;
        case 5:
            return next(std::move(item));
        default: // dropped
            model_.put_back(k, p, now());
        }
        model_.done(k, now());
    }
    void shut_down()
    {
        queue_.shut_down();
        model_.shut_down(now());
    }

    void check()
    {
        const auto s = queue_.stats();
        REQUIRE(s.ready == model_.ready.size());
        REQUIRE(s.held == model_.held.size());
        REQUIRE(s.processing == model_.in_work.size());
        REQUIRE(s.delayed == model_.delayed.size());
        REQUIRE(s.keys == model_.keys(now()));
        for (int k = 0; k < keys_; ++k) {
            const auto known = model_.failures.find(k);
            REQUIRE(queue_.num_requeues(k) == (known == model_.failures.end() ? 0 : known->second));
        }
    }

    kubecoro::detail::random_source random_;
    pace pace_;
    kubecoro::testing::runner run_;
    workqueue<int> queue_;
    reference model_;
    int keys_;
    std::vector<workqueue<int>::item> items_;
};

} // namespace

TEST_CASE("workqueue: random programs behave like the naive reference", "[workqueue][model]")
{
    const char* one = std::getenv("KUBECORO_SEED");
    const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
    const std::uint64_t last = one != nullptr ? first : 10'000;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        INFO("KUBECORO_SEED=" << seed);
        program(seed).run();
    }
}
