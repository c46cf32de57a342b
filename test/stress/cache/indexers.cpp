// An indexer on several threads: replaces, single changes, indexes added meanwhile, and readers of every kind.

#include <kubecoro/cache/indexer.hpp>
#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace kubecoro;

namespace {

struct part
{
    std::string id;
    std::string generation;
};

std::string id_of(const part& p) { return p.id; }
std::vector<std::string> generation_of(const part& p) { return {p.generation}; }
std::vector<std::string> parity_of(const part& p) { return {p.id.back() % 2 == 0 ? "even" : "odd"}; }

std::vector<part> make_parts(int generation, int count)
{
    std::vector<part> out;
    for (int i = 0; i < count; ++i) out.push_back({std::to_string(i), std::to_string(generation)});
    return out;
}

bool is_whole(const std::vector<part>& parts, std::size_t count)
{
    return parts.size() == count && std::all_of(parts.begin(), parts.end(), [&parts](const part& p) {
               return p.generation == parts.front().generation;
           });
}

} // namespace

TEST_CASE("indexer: readers on other threads never see half a replace", "[stress][cache]")
{
    constexpr int count = 200;
    const indexer<part> parts(id_of, {{"generation", generation_of}, {"parity", parity_of}});
    REQUIRE(parts.replace(make_parts(0, count)));
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::atomic<int> reads{0};
    std::vector<std::thread> readers;
    const auto read = [&](auto look) {
        readers.emplace_back([&, look] {
            while (!done) {
                if (!look()) ++wrong;
                ++reads;
            }
        });
    };
    read([&] { return is_whole(parts.list(), count); });
    read([&] { return is_whole(parts.by_index("parity", "even").value(), count / 2); });
    read([&] { return is_whole(parts.index("parity", {"1", "0"}).value(), count / 2); });
    read([&] {
        const auto values = parts.index_values("generation").value();
        return values.size() == 1 && parts.list_keys().size() == count && parts.get("7");
    });
    for (int generation = 1; generation <= 300; ++generation)
        if (!parts.replace(make_parts(generation, count))) ++wrong;
    while (reads < 100) std::this_thread::yield();
    done = true;
    for (auto& t : readers) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("indexer: writers and new indexes on several threads agree in the end", "[stress][cache]")
{
    const indexer<part> parts(id_of);
    REQUIRE(parts.replace(make_parts(0, 100)));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            std::mt19937 random(t);
            for (int step = 0; step < 3000; ++step) {
                const auto id = std::to_string(random() % 120);
                if (random() % 3 == 0)
                    parts.remove(id);
                else if (!parts.add({id, std::to_string(random() % 5)}))
                    ++wrong;
            }
        });
    threads.emplace_back([&] {
        for (int step = 0; step < 30; ++step)
            if (!parts.replace(make_parts(step % 5, 100))) ++wrong;
    });
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10; ++i) {
                const auto name = "index" + std::to_string(i);
                const auto added = parts.add_index(name, generation_of); // by one of the two threads
                if (!added && added.error() != cond::already_exists) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);

    const auto all = parts.list();
    CHECK(all.size() == parts.size());
    REQUIRE(parts.indexers().size() == 10);
    for (const auto& name : parts.indexers()) {
        std::size_t found = 0;
        for (const auto& value : parts.index_values(name).value())
            for (const auto& p : parts.by_index(name, value).value()) {
                CHECK(p.generation == value);
                CHECK(parts.get(p.id)->generation == value);
                ++found;
            }
        CHECK(found == all.size());
    }
}
