// Controllers on several threads: runs of one key never overlap, and the last run of a key sees its last version.
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <atomic>
#include <charconv>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
using untyped::pod;

namespace {

constexpr int names = 16;
constexpr int changes = 3'000;
constexpr auto patience = 60s;

int number(std::string_view text)
{
    int n = 0;
    std::from_chars(text.data(), text.data() + text.size(), n);
    return n;
}

struct ledger
{
    struct line
    {
        std::atomic<int> active{0};
        std::atomic<int> reconciled{0};
        /// Not atomic: the queue orders the runs of a key.
        int runs = 0;
    };
    std::array<line, names> lines;
    std::atomic<int> overlaps{0};
    std::array<int, names> sent{};

    [[nodiscard]] bool settled() const
    {
        for (std::size_t n = 0; n < names; ++n)
            if (lines[n].reconciled < sent[n]) return false;
        return true;
    }
};

/// An informer of pods with a watch that the test scripts.
struct cluster
{
    std::shared_ptr<kt::scripted_provider> provider;
    informer_factory informers;
    shared_informer<object> pods;
    kt::scripted_watch watch;

    explicit cluster(asio::thread_pool& pool)
        : provider(std::make_shared<kt::scripted_provider>(pool.get_executor(), real_clock())),
          informers(provider),
          pods(informers.get<pod>())
    {
        auto& source =
            *provider->source(pod::resource(), {.ns = {}, .label_selector = {}, .field_selector = {}, .decode = {}});
        source.on_list(kt::make_page({}, "1"));
        watch = source.on_watch();
    }
};

asio::awaitable<result<action>> reconcile(ledger& book, lister<object> pods, object_key key, reconcile_context& context)
{
    auto& l = book.lines[static_cast<std::size_t>(number(std::string_view(key.name).substr(1)))];
    if (l.active.fetch_add(1) != 0) ++book.overlaps;
    const int run = ++l.runs;
    const auto stored = pods.get(key);
    const int found = number(stored.resource_version());
    if (run % 3 == 0) co_await asio::post(asio::use_awaitable);
    // A version that another client has written or is about to write: the store will reach it.
    if (run % 5 == 0) context.wrote(pod::resource(), key, std::to_string(std::min(found + 1, changes - 1)));
    l.active.fetch_sub(1);
    if (run % 11 == 0) throw std::runtime_error("every eleventh run");
    if (run % 7 == 0) co_return failure(cond::conflict, "every seventh run");
    l.reconciled = std::max(l.reconciled.load(), found);
    if (run % 13 == 0) co_return action::requeue_after(50us);
    co_return action::done();
}

controller_options quick()
{
    controller_options o;
    o.workers = 4;
    o.limiter = exponential_limiter(1us, 100us);
    o.own_write_wait = 10min; // longer than any wait of this test
    o.grace = 5s;
    return o;
}

template<class T>
result<T> wait_for(asio::thread_pool& pool, asio::awaitable<result<T>> what)
{
    auto done = asio::co_spawn(pool, std::move(what), asio::use_future);
    REQUIRE(done.wait_for(patience) == std::future_status::ready);
    return done.get();
}

} // namespace

TEST_CASE("controller: changes, keys by hand, and sources that join and leave, on several threads",
          "[stress][controller]")
{
    asio::thread_pool pool(3);
    cluster world(pool);
    ledger book;
    const auto content = world.pods.lister();
    controller<object> subject(
        pool.get_executor(),
        [&book, content](const object_key& key, reconcile_context& c) { return reconcile(book, content, key, c); },
        quick());
    subject.watch(world.pods, enqueue_object());
    world.informers.start();
    subject.start();
    REQUIRE(wait_for(pool, subject.ready()));

    std::thread server([&] {
        random_source chance(1);
        for (int version = 2; version < changes; ++version) {
            const auto n = static_cast<std::size_t>(chance() % names);
            const auto o = kt::make_pod("web", "p" + std::to_string(n), std::to_string(version));
            world.watch.send(std::exchange(book.sent[n], version) == 0 ? kt::added(o) : kt::modified(o));
        }
    });
    std::thread user([&] {
        for (int n = 0; n < 2'000; ++n) {
            subject.trigger({"web", "p" + std::to_string(n % names)}, n % 3);
            if (n % 100 == 0) (void)subject.describe();
        }
    });
    for (int n = 0; n < 50; ++n) {
        auto extra = subject.watch(world.pods, enqueue_object(), {.name = "extra"});
        if (n % 2 == 0) REQUIRE(wait_for(pool, extra.removed()));
        extra.remove();
    }
    server.join();
    user.join();
    while (!book.settled()) std::this_thread::yield();
    REQUIRE(wait_for(pool, subject.stop()));
    REQUIRE(wait_for(pool, world.informers.stop()));
    CHECK(book.overlaps == 0);
    CHECK(subject.stats().own_write_timeouts == 0);
    CHECK(subject.stats().queue.processing == 0);
    pool.join();
}

TEST_CASE("controller: stopped or destroyed at a random time", "[stress][controller]")
{
    asio::thread_pool pool(3);
    for (int round = 0; round < 40; ++round) {
        cluster world(pool);
        ledger book;
        const kt::recording_logger log;
        auto mine = std::make_shared<int>(round);
        const std::weak_ptr<int> watched = mine;
        const auto content = world.pods.lister();
        auto options = quick();
        options.log = log.handle(log_level::error);
        auto subject = std::make_unique<controller<object>>(
            pool.get_executor(),
            [&book, content, mine](const object_key& key, reconcile_context& c) {
                return reconcile(book, content, key, c);
            },
            std::move(options));
        mine.reset();
        subject->watch(world.pods, enqueue_object());
        world.informers.start();
        subject->start();
        std::thread server([&] {
            for (int version = 2; version < 200; ++version)
                world.watch.send(
                    kt::added(kt::make_pod("web", "p" + std::to_string(version % names), std::to_string(version))));
        });
        std::thread stopper([&] {
            while (subject->stats().succeeded < static_cast<std::uint64_t>(round % names)) std::this_thread::yield();
            subject->request_stop();
        });
        server.join();
        stopper.join();
        CHECK(wait_for(pool, subject->stop()).has_value());
        subject.reset();
        CHECK(log.count("await stop() first") == 0);
        CHECK(watched.expired()); // destroyed by this thread, and not later by another
        REQUIRE(wait_for(pool, world.informers.stop()));
        CHECK(book.overlaps == 0);
    }
    pool.join();
}
