// Tests of long work on an informer's strand: other handlers of the loop have a turn after some hundreds of objects.

#include "informer_fixture.hpp"

#include <kubecoro/cache/detail/object_share.hpp>
#include <kubecoro/test/allocations.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

namespace asio = boost::asio;
using namespace informer_test;
using kubecoro::object;
using kubecoro::result;

namespace {

/// Objects that a turn may handle, and as many that come with them, as their notifications do.
constexpr std::uint64_t most_a_turn = 2 * 512;

constexpr int many = 4000;

std::vector<object> pods_of(const std::string& ns, int count, int version = 1)
{
    std::vector<object> out;
    for (int i = 0; i != count; ++i)
        out.push_back(kt::make_pod(ns, "pod-" + std::to_string(i), std::to_string(version)));
    return out;
}

/** Has a turn of the loop between any two other handlers, and notes by how much `count` has grown since the last one.

    Begins with start(), or with the first tick(). Ends when nothing has changed for many turns. */
class probe
{
public:
    explicit probe(kt::runner& run) : run_(run) {}

    void tick()
    {
        ++ticks_;
        start([this] { return ticks_; });
    }
    void start(std::function<std::uint64_t()> count)
    {
        if (running_) return;
        running_ = true;
        idle_ = 0;
        count_ = std::move(count);
        post();
    }
    [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }

private:
    void post()
    {
        asio::post(run_.executor(), [this] {
            const auto now = count_();
            most_ = std::max(most_, now - seen_);
            idle_ = now == seen_ ? idle_ + 1 : 0;
            seen_ = now;
            running_ = idle_ < 200;
            if (running_) post();
        });
    }

    kt::runner& run_;
    std::function<std::uint64_t()> count_;
    std::uint64_t ticks_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t most_ = 0;
    int idle_ = 0;
    bool running_ = false;
};

/// An informer of many pods.
struct crowd : fixture
{
    kt::scripted_watch watch;

    explicit crowd(int count = many)
    {
        source().on_list(kt::make_page(pods_of("web", count), "5"));
        watch = source().on_watch();
    }
    kubecoro::shared_informer<> start(kubecoro::informer_options o = {})
    {
        auto pods = informers->get<pod>(std::move(o));
        informers->start();
        REQUIRE(run.run(pods.has_synced()));
        settle();
        return pods;
    }
};

/// The number of events of a batch.
asio::awaitable<result<std::size_t>> events_of(kubecoro::subscription<>& reader)
{
    const auto batch = co_await reader.pop();
    co_return batch ? batch->size() : 0;
}

/// Keeps what the case says, and counts the questions.
struct counted_share final : kubecoro::detail::object_share
{
    mutable std::function<void()> asked = [] {};
    std::atomic<bool> has_any{true};
    std::shared_ptr<kubecoro::detail::share_follower> informer = {};

    bool keeps(kubecoro::object_key_view) const noexcept override
    {
        asked();
        return has_any;
    }
    std::uint64_t gains() const noexcept override { return 1; }
    bool by_namespace() const noexcept override { return false; }
    void add(const std::shared_ptr<kubecoro::detail::share_follower>& i) override { informer = i; }
    void shown() override {}
};

} // namespace

TEST_CASE("turns: a list is transformed some objects at a time", "[cache][turns]")
{
    crowd f;
    probe p(f.run);
    auto pods = f.start({.transform = [&p](const object& o) {
        p.tick();
        return o;
    }});
    CHECK(pods.lister().size() == many);
    CHECK(p.seen() == many);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: a list is indexed some objects at a time", "[cache][turns]")
{
    crowd f;
    probe p(f.run);
    auto pods = f.informers->get<pod>();
    REQUIRE(pods.add_index("name", [&p](const object& o, kubecoro::index_sink out) {
        p.tick();
        out(o.name());
    }));
    (void)f.start();
    CHECK(pods.lister().by_index("name", "pod-7").size() == 1);
    CHECK(p.seen() == many);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: a list reaches each reader some objects at a time", "[cache][turns]")
{
    crowd f;
    auto pods = f.informers->get<pod>();
    std::vector<kubecoro::subscription<>> readers;
    for (int i = 0; i != 5; ++i) readers.push_back(pods.subscribe());
    const auto waiting = [&readers] {
        std::uint64_t sum = 0;
        for (const auto& r : readers) sum += r.stats().pending;
        return sum;
    };
    // Starts when the store has the list.
    probe p(f.run);
    REQUIRE(pods.add_index("name", [&](const object&, kubecoro::index_sink) { p.start(waiting); }));
    (void)f.start();
    CHECK(p.seen() == 5 * many);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: many events for many readers", "[cache][turns]")
{
    crowd f(1);
    auto pods = f.start();
    std::vector<kubecoro::subscription<>> readers;
    for (int i = 0; i != 100; ++i) readers.push_back(pods.subscribe());
    f.settle();
    const auto waiting = [&readers] {
        std::uint64_t sum = 0;
        for (const auto& r : readers) sum += r.stats().pending;
        return sum;
    };
    CHECK(waiting() == 100);
    probe p(f.run);
    for (int i = 0; i != 100; ++i)
        f.watch.send(kt::added(kt::make_pod("jobs", std::to_string(i), std::to_string(10 + i))));
    p.start([&] { return waiting() - 100; });
    f.settle();
    CHECK(p.seen() == 100 * 100);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: a reader that joins later gets the store some objects at a time", "[cache][turns]")
{
    crowd f;
    auto pods = f.start();
    auto reader = pods.subscribe();
    probe p(f.run);
    p.start([&] { return reader.stats().pending; });
    f.settle();
    CHECK(p.seen() == many);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: a reader of changes only does not list the store", "[cache][turns][costs]")
{
    crowd f;
    auto pods = f.start();
    const auto bytes_of = [&](kubecoro::handler_options o) {
        const auto before = kubecoro::test::allocations_so_far().bytes;
        auto reader = pods.subscribe(std::move(o));
        f.settle();
        CHECK(reader.stats().pending == 0);
        return kubecoro::test::allocations_so_far().bytes - before;
    };
    CHECK(bytes_of({.initial = false}) < many * sizeof(void*) / 4);
}

TEST_CASE("turns: the filter of a reader of changes learns of the store some objects at a time", "[cache][turns]")
{
    crowd f;
    auto pods = f.start();
    probe p(f.run);
    auto reader = pods.subscribe({.filter =
                                      [&p](const object&) {
                                          p.tick();
                                          return true;
                                      },
                                  .initial = false});
    f.settle();
    f.watch.send(kt::deleted(kt::make_pod("web", "pod-3", "10")));
    const auto events = f.run.run(events_of(reader));
    REQUIRE(events);
    CHECK(*events == 1); // known to the filter
    f.settle();
    CHECK(p.seen() == many);
    CHECK(p.most() <= most_a_turn);
}

TEST_CASE("turns: a resync, also for a reader with many waiting events", "[cache][turns]")
{
    for (const bool waits : {false, true}) {
        crowd f;
        auto pods = f.start();
        auto reader = pods.subscribe({.resync = 60s});
        f.settle();
        if (!waits)
            while (reader.stats().pending != 0) REQUIRE(f.run.run(events_of(reader)));
        probe p(f.run);
        const auto events = [&] { return reader.stats().pending + reader.stats().coalesced; };
        const auto before = events();
        f.run.advance(59s);
        // Its turn comes with the resync: the probe must be there before.
        auto other = pods.subscribe({.filter = [](const object&) { return false; }, .resync = 1s});
        asio::co_spawn(
            f.run.executor(),
            [&]() -> asio::awaitable<void> {
                (void)co_await kubecoro::sleep_for(f.run.clock(), 1s);
                p.start([&, before] { return events() - before; });
            },
            asio::detached);
        f.run.advance(2s);
        CHECK(p.seen() == many);
        CHECK(p.most() <= most_a_turn);
    }
}

TEST_CASE("turns: objects that left the share, and those of a namespace that is removed", "[cache][turns]")
{
    SECTION("a share")
    {
        crowd f;
        const auto share = std::make_shared<counted_share>();
        auto pods = f.start({.share = share});
        auto reader = pods.subscribe({.initial = false});
        f.settle();
        probe p(f.run);
        probe leaving(f.run);
        share->asked = [&p] { p.tick(); };
        share->has_any = false;
        leaving.start([&] { return reader.stats().pending; });
        share->informer->news.notify();
        f.settle();
        share->asked = [] {};
        CHECK(pods.lister().size() == 0);
        CHECK(reader.stats().pending == many);
        CHECK(leaving.most() <= most_a_turn);
        CHECK(p.most() <= 3 * most_a_turn); // asked several times for each
    }
    SECTION("a namespace")
    {
        fixture f;
        f.source("web").on_list(kt::make_page(pods_of("web", many), "5"));
        f.source("jobs").on_list(kt::make_page(pods_of("jobs", 1), "5"));
        auto web = f.source("web").on_watch();
        auto jobs = f.source("jobs").on_watch();
        auto pods = f.informers->get<pod>({.namespaces = {"web", "jobs"}});
        f.informers->start();
        REQUIRE(f.run.run(pods.has_synced()));
        auto reader = pods.subscribe({.initial = false});
        f.settle();
        probe p(f.run);
        p.start([&] { return reader.stats().pending; });
        auto removing = f.run.spawn(pods.remove_namespace("web"));
        f.settle();
        CHECK(removing.done());
        CHECK(pods.lister().size() == 1);
        CHECK(p.seen() == many);
        CHECK(p.most() <= most_a_turn);
    }
}
