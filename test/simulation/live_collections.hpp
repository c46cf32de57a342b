#pragma once
// Collections that are derived from the informers of a world.

#include "journal.hpp"
#include "server_history.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/collections/derive.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/// An informer that collections are derived from, and the objects that it must have.
struct collection_input
{
    shared_informer<object> informer;
    std::function<std::map<object_key, object>()> real;
};

/** A join by key, a filter of it, and groups by a label. Checks that their changes form chains, and at quiet points that they
    equal the naive computation from the server's objects, as do the states that their readers have. */
class live_collections
{
public:
    /// @param pods, maps, widgets  Outlive the collections.
    live_collections(collection_input pods, collection_input maps, collection_input widgets, testing::runner& runner,
                     journal& notes, std::uint64_t seed);

    /// Empty when the collections are what they must be, else the first that differs.
    [[nodiscard]] std::string unsettled() const;
    /// Ends them. Await it before or after the end of the informers.
    [[nodiscard]] boost::asio::awaitable<result<>> stop() { return live_.stop(); }
    /// Changes that were delivered.
    [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }

private:
    struct row
    {
        std::string key;
        std::string text;
        bool operator==(const row&) const = default;
    };
    using rows = std::map<std::string, std::string>;
    struct reader
    {
        collection<row> of;
        std::function<rows()> naive;
        rows told = {};
    };

    void read(const char* name, collection<row> of, std::function<rows()> naive);
    void hear(const char* name, rows& told, const collection_change<row>& c);

    collection_input pods_, maps_, widgets_;
    journal* notes_;
    detail::random_source random_;
    live_queries live_;
    std::map<std::string, reader> readers_;
    std::uint64_t changes_ = 0;
};

} // namespace kubecoro::simulation
