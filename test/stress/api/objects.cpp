// Object handles across threads: copied, read, swapped and dropped, the last one on any thread.

#include <kubecoro/api/object.hpp>
#include <kubecoro/test/catch.hpp>

#include <atomic>
#include <functional>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using kubecoro::object;

namespace {

constexpr int threads = 4;

object make(int version)
{
    const auto text = std::to_string(version);
    return object::
        parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":"p","uid":"u","resourceVersion":")" +
              text + R"("},"spec":{"nodeName":"node-)" + text + R"("}})")
            .value();
}

/// The front's metadata and the tape have the same version.
bool whole(const object& o)
{
    return o.name() == "p" && o["spec"]["nodeName"].as_string() == "node-" + std::string(o.resource_version());
}

void on_threads(const std::function<void(int)>& work)
{
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back(work, t);
    for (auto& t : all) t.join();
}

} // namespace

TEST_CASE("object: copies are made, read and dropped on many threads", "[stress][api]")
{
    std::atomic<int> broken{0};
    const object shared = make(1);
    on_threads([&](int) {
        std::vector<object> mine;
        for (int i = 0; i < 50000; ++i) {
            mine.push_back(shared);
            if (mine.size() == 16) mine.clear();
            object moved = mine.empty() ? shared : std::move(mine.back());
            if (!whole(moved)) ++broken;
        }
    });
    CHECK(broken == 0);
    CHECK(whole(shared));
}

TEST_CASE("object: whichever thread drops the last handle frees it", "[stress][api]")
{
    std::atomic<int> broken{0};
    for (int round = 0; round < 500; ++round) {
        std::vector<object> handles(threads, make(round));
        std::latch ready(threads);
        on_threads([&](int t) {
            object mine = std::move(handles[static_cast<std::size_t>(t)]);
            ready.arrive_and_wait();
            if (!whole(mine)) ++broken;
            mine = object();
        });
    }
    CHECK(broken == 0);
}

TEST_CASE("object: readers keep objects that a writer replaces", "[stress][api]")
{
    std::atomic<int> broken{0};
    std::mutex mutex;
    object current = make(0); // as in a store: the handle is locked, the object is not
    std::atomic<bool> done{false};
    on_threads([&](int t) {
        if (t == 0) {
            for (int version = 1; version <= 5000; ++version) {
                object next = make(version);
                const std::lock_guard lock(mutex);
                std::swap(current, next);
            }
            done = true;
            return;
        }
        while (!done) {
            const object seen = [&] {
                const std::lock_guard lock(mutex);
                return current;
            }();
            if (!whole(seen)) ++broken;
        }
    });
    CHECK(broken == 0);
    CHECK(current.resource_version() == "5000");
}
