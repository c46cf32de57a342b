// Random programs, executed by the queue and by the simplest implementation of the same rules.
#include "queue_fixture.hpp"

#include <kubecoro/base/random.hpp>

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

    std::vector<ready_key> ready; // in order of arrival
    std::map<int, int> again;     // added during their run, with their priorities
    std::set<int> in_work;
    std::map<int, delayed_key> delayed;
    std::map<int, unsigned> failures;
    bool down = false;

    void add(int key, int priority)
    {
        if (!down) want(key, priority);
    }
    void want(int key, int priority)
    {
        if (in_work.contains(key)) {
            const auto [at, fresh] = again.try_emplace(key, priority);
            if (!fresh) at->second = std::max(at->second, priority);
            return;
        }
        const auto at = std::find_if(ready.begin(), ready.end(), [key](const auto& r) { return r.key == key; });
        if (at != ready.end() && at->priority >= priority) return;
        if (at != ready.end()) ready.erase(at);
        ready.push_back({key, priority});
    }
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
            want(key, priority);
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
    void done(int key)
    {
        in_work.erase(key);
        if (const auto at = again.find(key); at != again.end()) {
            ready.push_back({key, at->second});
            again.erase(at);
        }
    }
    void pass(time_point now)
    {
        for (;;) {
            const auto next = std::min_element(delayed.begin(), delayed.end(), [](const auto& a, const auto& b) {
                return a.second.due < b.second.due;
            });
            if (next == delayed.end() || next->second.due > now) return;
            const auto [key, when] = *next;
            delayed.erase(next);
            want(key, when.priority);
        }
    }
    std::optional<ready_key> take()
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
        return out;
    }
    void shut_down()
    {
        down = true;
        delayed.clear();
    }
    [[nodiscard]] std::size_t keys() const
    {
        std::set<int> all(in_work);
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
    unsigned passed_over_ = 0;
};

class program
{
public:
    explicit program(std::uint64_t seed)
        : random_(seed), queue_(run_.executor(), options()), keys_(2 + static_cast<int>(random_() % 10))
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
        o.time = run_.shared_clock();
        return o;
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
        model_.add(k, p);
    }
    void add_batch()
    {
        std::vector<int> batch(static_cast<std::size_t>(below(20)));
        const int p = priority();
        for (auto& k : batch) model_.add(k = key(), p);
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
        auto item = queue_.try_get();
        const auto expected = model_.take();
        REQUIRE(item.has_value() == expected.has_value());
        if (!item) return;
        REQUIRE(item->key() == expected->key);
        REQUIRE(item->priority() == expected->priority);
        items_.push_back(std::move(*item));
    }
    void finish()
    {
        if (items_.empty()) return;
        const auto at = items_.begin() + below(static_cast<int>(items_.size()));
        auto item = std::move(*at);
        items_.erase(at);
        const int k = item.key();
        const int p = item.priority();
        switch (below(5)) {
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
        default: // dropped
            model_.want(k, p);
        }
        model_.done(k);
    }
    void shut_down()
    {
        queue_.shut_down();
        model_.shut_down();
    }

    void check()
    {
        const auto s = queue_.stats();
        REQUIRE(s.ready == model_.ready.size());
        REQUIRE(s.processing == model_.in_work.size());
        REQUIRE(s.delayed == model_.delayed.size());
        REQUIRE(s.keys == model_.keys());
        for (int k = 0; k < keys_; ++k) {
            const auto known = model_.failures.find(k);
            REQUIRE(queue_.num_requeues(k) == (known == model_.failures.end() ? 0 : known->second));
        }
    }

    kubecoro::random_source random_;
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
