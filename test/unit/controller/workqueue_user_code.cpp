// User code inside a queue's calls: metrics, limiters, the printing of keys. All of it may call the queue's observers.
#include "queue_fixture.hpp"

#include <compare>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <utility>

using namespace kubecoro::test;
using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// Called by all user code below; records the caller.
struct look
{
    std::function<void()> at;
    std::set<std::string> seen;
    void operator()(const std::string& who)
    {
        if (at) at();
        seen.insert(who);
    }
};

class looking_metrics final : public metrics
{
public:
    explicit looking_metrics(look& l) : look_(l) {}
    std::shared_ptr<counter> make_counter(std::string_view name, metric_labels) override { return make(name); }
    std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels) override { return make(name); }
    std::shared_ptr<histogram> make_histogram(std::string_view name, metric_labels) override { return make(name); }

private:
    struct instrument final : counter, gauge, histogram
    {
        instrument(look& l, std::string n) : look_(l), name(std::move(n)) {}
        void add(double) noexcept override { look_(name); }
        void set(double) noexcept override { look_(name); }
        void observe(double) noexcept override { look_(name); }
        look& look_;
        std::string name;
    };
    [[nodiscard]] std::shared_ptr<instrument> make(std::string_view name) const
    {
        return std::make_shared<instrument>(look_, std::string(name));
    }
    look& look_;
};

class looking_limiter final : public rate_limiter
{
public:
    explicit looking_limiter(look& l) : look_(l) {}
    [[nodiscard]] duration delay(unsigned, time_point) const override
    {
        look_("delay");
        return 1s;
    }
    void taken(time_point) override { look_("taken"); }

private:
    look& look_;
};

/// A key that calls its queue when it is printed.
struct looking_key
{
    int n = 0;
    look* l = nullptr;
    friend bool operator==(const looking_key& a, const looking_key& b) noexcept { return a.n == b.n; }
    friend std::ostream& operator<<(std::ostream& out, const looking_key& k)
    {
        (*k.l)("print");
        return out << k.n;
    }
};
struct looking_hash
{
    std::size_t operator()(const looking_key& k) const noexcept { return static_cast<std::size_t>(k.n); }
};

} // namespace

TEST_CASE("workqueue: user code is called without the queue's lock", "[workqueue]")
{
    look l;
    testing::runner run;
    workqueue_options o;
    o.name = "observed";
    o.metrics = std::make_shared<looking_metrics>(l);
    o.limiter = std::make_unique<looking_limiter>(l);
    o.time = run.shared_clock();
    workqueue<looking_key, looking_hash> queue(run.executor(), std::move(o));
    // With the lock held this would deadlock.
    l.at = [&queue, &l] {
        (void)queue.len();
        queue.add(looking_key{99, &l}, priority::low);
    };
    queue.add(looking_key{1, &l});
    queue.add_rate_limited(looking_key{2, &l});
    {
        auto item = queue.try_get();
        REQUIRE(item);
        CHECK(queue.stats().in_work.at(0) == "1");
        run.advance(600ms);
        item->retry();
    }
    auto batch = run.run(queue.get_batch(10));
    REQUIRE(batch);
    for (auto& item : *batch) item.succeeded();
    CHECK(l.seen == std::set<std::string>{"delay", "kubecoro_workqueue_oldest_key_seconds", "print", "taken",
                                          "workqueue_adds_total", "workqueue_depth",
                                          "workqueue_longest_running_processor_seconds",
                                          "workqueue_queue_duration_seconds", "workqueue_retries_total",
                                          "workqueue_unfinished_work_seconds", "workqueue_work_duration_seconds"});
    l.at = nullptr;
}

TEST_CASE("workqueue: a key may be given back while it is printed", "[workqueue]")
{
    look l;
    testing::runner run;
    workqueue<looking_key, looking_hash> queue(run.executor());
    queue.add(looking_key{1, &l});
    auto item = queue.try_get();
    REQUIRE(item);
    l.at = [&] {
        item->succeeded();
        item.reset();
        for (int n = 2; n < 500; ++n) queue.add(looking_key{n, &l}); // takes every free slot
    };
    CHECK(queue.stats().in_work == list{"1"});
    l.at = nullptr;
    CHECK(queue.stats().keys == 498);
    while (auto next = queue.try_get()) next->succeeded();
    CHECK(queue.stats().keys == 0);
}

TEST_CASE("workqueue: the depth gauge shows the last change, however the reports overlap", "[workqueue]")
{
    // A sink that changes the queue while it is called: its last value must be the actual depth.
    struct depth_sink final : metrics
    {
        struct nothing final : counter, histogram
        {
            void add(double) noexcept override {}
            void observe(double) noexcept override {}
        };
        struct depth final : gauge
        {
            std::function<void()> before;
            double shown = -1;
            void set(double v) noexcept override
            {
                if (auto f = std::exchange(before, nullptr)) f();
                shown = v;
            }
        };
        std::shared_ptr<depth> last = std::make_shared<depth>();
        std::shared_ptr<counter> make_counter(std::string_view, metric_labels) override
        {
            return std::make_shared<nothing>();
        }
        std::shared_ptr<gauge> make_gauge(std::string_view name, metric_labels) override
        {
            return name == "workqueue_depth" ? last : std::make_shared<depth>();
        }
        std::shared_ptr<histogram> make_histogram(std::string_view, metric_labels) override
        {
            return std::make_shared<nothing>();
        }
    };
    testing::runner run;
    const auto sink = std::make_shared<depth_sink>();
    names queue(run.executor(), queue_fixture::on_clock(run, {.name = "q", .metrics = sink}));
    sink->last->before = [&queue] {
        auto item = queue.try_get();
        if (item) item->succeeded();
    };
    queue.add("a");
    CHECK(queue.len() == 0);
    CHECK(sink->last->shown == 0);
}
