// Watchers and reflectors on several threads, over sources that change and break all the time.

#include "busy_source.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/cache/reflector.hpp>
#include <kubecoro/cache/watcher.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using kubecoro::untyped::pod;

namespace {

/// Versions by name.
using content = std::map<std::string, std::string>;

const reflector_policy impatient_policy{
    .backoff = {.initial = 1ms, .cap = 5ms}, .short_watch = 0ms, .healthy_after = 0ms};

relist_budget no_spread() { return relist_budget(8, 0ms); }

std::shared_ptr<stress::server> make_server(std::uint64_t seed)
{
    auto made = std::make_shared<stress::server>();
    made->random.seed(seed);
    made->batches_left = 400;
    return made;
}

/// True when the server has no more changes, and this is its content.
bool is_final(stress::server& s, const content& c)
{
    std::lock_guard lock(s.mutex);
    if (s.batches_left != 0) return false;
    content all;
    for (const auto& [name, o] : s.objects) all.emplace(name, o.resource_version());
    return c == all;
}

struct mirror
{
    content all;
    content in_list;

    void take(const watcher_event<>& e)
    {
        using enum watcher_event_type;
        if (e.type == init_begins) in_list.clear();
        if (e.type == listed) in_list[std::string(e.obj.name())] = e.obj.resource_version();
        if (e.type == init_done) all = in_list;
        if (e.type == applied) all[std::string(e.obj.name())] = e.obj.resource_version();
        if (e.type == deleted) all.erase(std::string(e.obj.name()));
    }
};

/// Replaces its watcher from time to time, stopped or not.
asio::awaitable<bool> follow(std::shared_ptr<stress::one_source> provider, std::shared_ptr<stress::server> s)
{
    for (int round = 0;; ++round) {
        watcher pods(provider, pod::resource(),
                     {.policy = impatient_policy, .log = logger::silent(), .relists = no_spread()});
        mirror seen;
        for (int batches = 0; batches < 60; ++batches) {
            const auto batch = co_await with_timeout(*real_clock(), 30s, "next", pods.next());
            if (!batch) co_return false;
            for (const auto& e : batch->events) seen.take(e);
            if (is_final(*s, seen.all)) co_return true;
        }
        if (round % 2 == 0) continue;
        const auto stopped = co_await pods.stop();
        if (!stopped || pods.state() != informer_state::stopped) co_return false;
    }
}

class checking_sink final : public reflector_sink
{
public:
    checking_sink(std::shared_ptr<stress::server> s, latch finished)
        : server_(std::move(s)), finished_(std::move(finished))
    {
    }
    asio::awaitable<result<>> replace(std::vector<object> items, std::string, std::vector<left_out_object>) override
    {
        overlaps += inside_.exchange(1);
        co_await asio::post(asio::use_awaitable);
        all_.clear();
        for (const auto& o : items) all_[std::string(o.name())] = o.resource_version();
        co_return leave();
    }
    asio::awaitable<result<>> apply(std::vector<delta> changes, std::string) override
    {
        overlaps += inside_.exchange(1);
        co_await asio::post(asio::use_awaitable);
        for (const auto& c : changes) {
            if (c.type == delta_type::deleted)
                all_.erase(std::string(c.obj.name()));
            else
                all_[std::string(c.obj.name())] = c.obj.resource_version();
        }
        if (++calls_ % 50 == 0) {
            all_.clear(); // a list repairs that
            inside_ = 0;
            throw std::runtime_error("the disk is full");
        }
        co_return leave();
    }
    std::atomic<int> overlaps{0};

private:
    result<> leave()
    {
        if (is_final(*server_, all_)) finished_.settle({});
        inside_ = 0;
        return {};
    }
    const std::shared_ptr<stress::server> server_;
    const latch finished_;
    std::atomic<int> inside_{0};
    int calls_ = 0;
    content all_;
};

asio::awaitable<bool> reflect(std::shared_ptr<stress::one_source> provider, std::shared_ptr<stress::server> s)
{
    const latch finished;
    auto sink = std::make_shared<checking_sink>(std::move(s), finished);
    reflector pods(provider, pod::resource(),
                   {.policy = impatient_policy, .log = logger::silent(), .relists = no_spread()}, sink);
    co_await race(pods.run(), with_timeout(*real_clock(), 60s, "the end", finished.wait()));
    co_return finished.settled() && sink->overlaps == 0 && pods.state() == informer_state::stopped;
}

} // namespace

TEST_CASE("parts: watchers and reflectors on several threads reach the server's content", "[stress][cache]")
{
    asio::thread_pool theirs(4);
    asio::thread_pool ours(3);
    std::vector<std::future<bool>> all;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        auto s = make_server(seed);
        auto source =
            std::make_shared<stress::one_source>(theirs.get_executor(), std::make_shared<stress::busy_source>(s));
        auto work = seed % 2 == 0 ? follow(source, s) : reflect(source, s);
        all.push_back(asio::co_spawn(asio::make_strand(ours), std::move(work), asio::use_future));
    }
    for (auto& one : all) CHECK(one.get());
    ours.join();
    theirs.join();
}

namespace {

/// Reads until its watcher ends. Returns whether the failure was the right one.
asio::awaitable<bool> read_on(std::shared_ptr<stress::one_source> from, std::shared_ptr<std::atomic<int>> batches)
{
    watcher pods(from, pod::resource(), {.log = logger::silent()});
    for (;;) {
        const auto batch = co_await pods.next();
        if (!batch) co_return batch.error() == cond::cancelled;
        ++*batches;
    }
}

} // namespace

TEST_CASE("parts: a context that ends under a reader on another one ends its wait", "[stress][cache]")
{
    for (int round = 0; round < 100; ++round) {
        asio::thread_pool ours(1);
        std::future<bool> reading;
        {
            asio::thread_pool theirs(2);
            auto batches = std::make_shared<std::atomic<int>>(0);
            auto busy = std::make_shared<stress::busy_source>(std::make_shared<stress::server>()); // quiet after a list
            auto source = std::make_shared<stress::one_source>(theirs.get_executor(), busy);
            reading = asio::co_spawn(ours, read_on(source, batches), asio::use_future);
            while (*batches == 0) std::this_thread::yield();
            theirs.stop();
            theirs.join();
        }
        CHECK(reading.get());
        ours.join();
    }
}
