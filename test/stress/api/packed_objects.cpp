// Compressed objects across threads: the first reader expands them, and the last one ends the expansion.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/test/catch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

constexpr int threads = 4;
constexpr int learnt_from = 400;

std::string text_of(int i)
{
    const auto n = std::to_string(i);
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + n + R"(","namespace":"n","uid":"u)" + n +
           R"(","resourceVersion":")" + n + R"(","labels":{"app":"a)" + n + R"("},"annotations":{"own":"x)" + n +
           R"("}},"spec":{"nodeName":"node-)" + n +
           R"(","restartPolicy":"Always","schedulerName":"default-scheduler","tolerations":[{"key":"not-ready"}]},)" +
           R"("status":{"phase":"Running","podIP":"10.0.0.)" + n + R"("}})";
}

std::shared_ptr<object_encoding> learnt()
{
    auto encoding = make_object_encoding({.storage = {.policy = storage::compressed}});
    for (int i = 0; i < learnt_from; ++i) (void)decode_object(text_of(i), {}, encoding).value();
    return encoding;
}

/// The front and the rest have the same version.
bool whole(const object& o)
{
    const std::string n(o.resource_version());
    return o.name() == "p" + n && o.labels()["app"].as_string() == "a" + n &&
           o.path("spec.nodeName").as_string() == "node-" + n && o["status"]["podIP"].as_string() == "10.0.0." + n &&
           o.annotations()["own"].as_string() == "x" + n;
}

void on_threads(const std::function<void(int)>& work)
{
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
    for (auto& t : all) t.join();
}

} // namespace

TEST_CASE("compressed object: few objects, many readers that start and end", "[stress][api]")
{
    const bool recent = GENERATE(false, true);
    const auto encoding = learnt();
    encoding->keep_recent(recent);
    std::vector<kept_object> kept;
    for (int i = 0; i < 3; ++i) kept.emplace_back(decode_object(text_of(1000 + i), {}, encoding).value());
    std::atomic<int> broken{0};
    on_threads([&](int t) {
        std::mt19937 random(static_cast<unsigned>(t));
        for (int i = 0; i < 20000; ++i) {
            const object o = kept[random() % kept.size()].get();
            const object second = random() % 2 == 0 ? o : object{};
            if (!whole(o) || (second && !whole(second))) ++broken;
        }
    });
    CHECK(broken == 0);
    encoding->keep_recent(false);
    for (const auto& k : kept) CHECK(k.get().bytes() == k.bytes()); // compressed again
}

TEST_CASE("compressed object: the store replaces objects under readers, and the encoding is destroyed last",
          "[stress][api]")
{
    std::atomic<int> broken{0};
    for (int round = 0; round < 20; ++round) {
        auto encoding = learnt();
        std::mutex mutex;
        kept_object current(decode_object(text_of(0), {}, encoding).value());
        std::atomic<bool> done{false};
        on_threads([&](int t) {
            if (t == 0) {
                for (int version = 1; version <= 500; ++version) {
                    object next = decode_object(text_of(version), {}, encoding).value();
                    if (!whole(next)) ++broken;
                    kept_object resting(next);
                    next = {};
                    const std::lock_guard lock(mutex);
                    std::swap(current, resting);
                }
                encoding.reset(); // held objects keep what they need
                done = true;
                return;
            }
            std::vector<object> mine;
            while (!done) {
                object seen = [&] {
                    const std::lock_guard lock(mutex);
                    return current.get();
                }();
                if (!whole(seen)) ++broken;
                mine.push_back(std::move(seen));
                if (mine.size() == 8) mine.clear();
            }
        });
        if (!whole(current.get())) ++broken;
    }
    CHECK(broken == 0);
}

TEST_CASE("compressed object: readers expand while the writer trains and repacks", "[stress][api]")
{
    auto encoding = make_object_encoding({.storage = {.policy = storage::compressed}});
    encoding->keep_recent(true);
    constexpr std::size_t count = 64;
    std::mutex mutex;
    std::vector<kept_object> table(count);
    std::atomic<int> broken{0};
    std::atomic<bool> done{false};
    on_threads([&](int t) {
        std::mt19937 random(static_cast<unsigned>(t));
        if (t == 0) {
            std::uint64_t revision = 0;
            for (int i = 0; i < 9000; ++i) { // past the settled dictionary
                kept_object fresh(decode_object(text_of(i), {}, encoding).value());
                const std::lock_guard lock(mutex);
                std::swap(table[static_cast<std::size_t>(i) % count], fresh);
                if (encoding->revision() == revision) continue;
                revision = encoding->revision();
                for (auto& k : table)
                    if (k) k = kept_object(encoding->at_rest(k.get()));
            }
            done = true;
            return;
        }
        while (!done) {
            const object o = [&] {
                const std::lock_guard lock(mutex);
                return table[random() % count].get();
            }();
            if (o && !whole(o)) ++broken;
        }
    });
    CHECK(broken == 0);
    CHECK(encoding->stats().broken == 0);
    CHECK(encoding->stats().stage == dictionary_stage::settled);
    encoding->keep_recent(false);
}
