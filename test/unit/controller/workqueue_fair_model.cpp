// Random programs with classes, executed by the queue and by the simplest implementation of the same rules; and the
// bound on the hand-outs before a key's own.
#include "queue_fixture.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

using namespace kubecoro::test;
using kubecoro::workqueue;

namespace {

constexpr int key_count = 40;
int class_of(int key) { return key % 5; }

/// The rules, implemented naively: everything is found by searching.
class reference
{
public:
    struct ready_key
    {
        int key;
        int priority;
    };
    explicit reference(unsigned ageing) : ageing_(ageing) {}

    void add(int key, int priority)
    {
        if (in_work.contains(key)) {
            const auto [at, fresh] = again.try_emplace(key, priority);
            if (!fresh) at->second = std::max(at->second, priority);
            return;
        }
        const auto at = std::find_if(ready.begin(), ready.end(), [&](const auto& r) { return r.key == key; });
        if (at != ready.end() && at->priority >= priority) return;
        if (at != ready.end()) remove(*at);
        append({key, priority});
    }
    std::optional<ready_key> take()
    {
        if (ready.empty()) return std::nullopt;
        const int level = choose();
        auto& turns = turns_[level];
        const int of = turns.front();
        const auto next = *std::find_if(ready.begin(), ready.end(),
                                        [&](const auto& r) { return r.priority == level && class_of(r.key) == of; });
        turns.erase(turns.begin());
        turns.push_back(of);
        remove(next);
        in_work.insert(next.key);
        return next;
    }
    void done(int key)
    {
        in_work.erase(key);
        const auto at = again.find(key);
        if (at == again.end()) return;
        append({key, at->second});
        again.erase(at);
    }

    std::vector<ready_key> ready; // in order of arrival
    std::map<int, int> again;     // added during their run, with their priorities
    std::set<int> in_work;

private:
    [[nodiscard]] bool has_keys(int of, int level) const
    {
        return std::any_of(ready.begin(), ready.end(),
                           [&](const auto& r) { return r.priority == level && class_of(r.key) == of; });
    }
    void append(ready_key r)
    {
        if (!has_keys(class_of(r.key), r.priority)) turns_[r.priority].push_back(class_of(r.key));
        ready.push_back(r);
    }
    void remove(ready_key which)
    {
        std::erase_if(ready, [&](const auto& r) { return r.key == which.key; });
        if (!has_keys(class_of(which.key), which.priority)) std::erase(turns_[which.priority], class_of(which.key));
    }
    int choose()
    {
        std::set<int> filled;
        for (const auto& r : ready) filled.insert(r.priority);
        const int top = *filled.rbegin();
        passed_over_ = filled.size() == 1 || ageing_ == 0 ? 0 : passed_over_ + 1;
        if (passed_over_ == 0 || passed_over_ < ageing_) return top;
        passed_over_ = 0;
        std::vector<int> lower(filled.begin(), std::prev(filled.end()));
        const auto next = std::find_if(lower.rbegin(), lower.rend(), [&](int level) { return level < last_aged_; });
        return last_aged_ = next == lower.rend() ? lower.back() : *next;
    }

    unsigned ageing_;
    std::map<int, std::vector<int>> turns_; // by priority: the classes with ready keys, the next one first
    unsigned passed_over_ = 0;
    int last_aged_ = kubecoro::priority::low;
};

/// The promise about one waiting key, watched from its add to its hand-out.
struct expectation
{
    std::size_t ahead;     // keys of its class at its priority when it was added, itself included
    std::set<int> classes; // with keys at its priority while it waited
    std::size_t others = 0;
};

class program
{
public:
    explicit program(std::uint64_t seed)
        : random_(seed),
          priorities_(seed % 2 == 0 ? 1 : 3),
          ageing_(static_cast<unsigned>(below(4))),
          model_(ageing_),
          queue_(run_.executor(), {.ageing = ageing_}, class_of)
    {
    }

    void run()
    {
        for (int steps = 20 + below(150); steps > 0; --steps) step();
        while (!items_.empty()) finish();
        while (take()) finish();
        REQUIRE(model_.ready.empty());
        REQUIRE(queue_.stats().keys == 0);
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
    int priority() { return below(priorities_) * 10; }
    /// Most keys are of one class.
    int key() { return below(3) == 0 ? below(key_count) : below(key_count / 5) * 5; }

    void step()
    {
        const int what = below(100);
        if (what < 45) return add();
        if (what < 50) return add_batch();
        if (what < 80) return void(take());
        finish();
    }
    void add()
    {
        const int k = key();
        const int p = priority();
        queue_.add(k, p);
        model_.add(k, p);
        expect();
    }
    void add_batch()
    {
        std::vector<int> batch(static_cast<std::size_t>(below(20)));
        const int p = priority();
        for (int& k : batch) k = key();
        queue_.add_batch(batch, p);
        for (const int k : batch) {
            model_.add(k, p);
            expect();
        }
    }
    bool take()
    {
        auto item = queue_.try_get();
        const auto expected = model_.take();
        REQUIRE(item.has_value() == expected.has_value());
        if (!item) return false;
        REQUIRE(item->key() == expected->key);
        REQUIRE(item->priority() == expected->priority);
        check_bound(item->key());
        items_.push_back(std::move(*item));
        expect();
        return true;
    }
    void finish()
    {
        if (items_.empty()) return;
        const auto at = items_.begin() + below(static_cast<int>(items_.size()));
        auto item = std::move(*at);
        items_.erase(at);
        const int k = item.key();
        item.done();
        model_.done(k);
        expect();
    }

    /// Begins to watch keys that have become ready, and notes which classes compete with those watched.
    void expect()
    {
        if (priorities_ != 1) return;
        for (const auto& r : model_.ready) {
            const auto same_class = [&](const auto& other) { return class_of(other.key) == class_of(r.key); };
            const auto ahead = std::count_if(model_.ready.begin(), model_.ready.end(), same_class);
            waiting_.try_emplace(r.key, expectation{.ahead = static_cast<std::size_t>(ahead), .classes = {}});
        }
        for (auto& [k, e] : waiting_)
            for (const auto& r : model_.ready) e.classes.insert(class_of(r.key));
    }
    /// A key that is the n-th of its class, of k classes, is served after at most n * k - 1 others.
    void check_bound(int key)
    {
        if (priorities_ != 1) return;
        const auto at = waiting_.find(key);
        REQUIRE(at != waiting_.end());
        REQUIRE(at->second.others <= at->second.ahead * at->second.classes.size() - 1);
        waiting_.erase(at);
        for (auto& [k, e] : waiting_) ++e.others;
    }

    kubecoro::detail::random_source random_;
    int priorities_;
    unsigned ageing_;
    kubecoro::testing::runner run_;
    reference model_;
    workqueue<int> queue_;
    std::map<int, expectation> waiting_;
    std::vector<workqueue<int>::item> items_;
};

} // namespace

TEST_CASE("workqueue: random programs with classes behave like the naive reference, and keep the bound",
          "[workqueue][fair][model]")
{
    const char* one = std::getenv("KUBECORO_SEED");
    const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
    const std::uint64_t last = one != nullptr ? first : 3'000;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        INFO("KUBECORO_SEED=" << seed);
        program(seed).run();
    }
}
