#pragma once
// An informer whose namespaces change continually, and one whose definition is deleted and recreated.

#include "journal.hpp"
#include "server_history.hpp"

#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** Checks that notifications form a chain (unknown objects are added, known ones updated and deleted), and at quiet
    points that the store and the notified state equal the server's for the current namespaces. Has its own seed, so
    that the rest of a world is the same with and without it. */
class roaming_informer
{
public:
    roaming_informer(informer_factory& informers, apiserver::embedded_server& server, const server_history& pods,
                     testing::runner& runner, journal& notes, std::uint64_t seed);

    /// Creates the definition. Await it once, before the informers start.
    boost::asio::awaitable<result<>> prepare();
    /// One change of the namespaces, of the definition, or of its objects.
    boost::asio::awaitable<result<>> one();
    /// Empty when all events have arrived, else the first thing missing.
    [[nodiscard]] std::string unsettled();
    [[nodiscard]] std::uint64_t changes() const noexcept { return changes_; }
    /// The kind whose definition is deleted and recreated.
    [[nodiscard]] static resource_type gadgets();
    /// Its objects as the server has them; none while it is not defined.
    [[nodiscard]] std::optional<std::map<object_key, std::string>> real_gadgets() const;

private:
    using told = std::map<object_key, std::string>;

    [[nodiscard]] event_handler<object> listener(const char* name, told& state);
    void move();
    boost::asio::awaitable<void> execute(std::string method, std::string at, std::string body = {});
    [[nodiscard]] std::string compare(const char* name, const shared_informer<object>& informer, const told& state,
                                      const told& real) const;

    apiserver::embedded_server* server_;
    const server_history* real_pods_;
    testing::runner* runner_;
    journal* notes_;
    detail::random_source random_;
    shared_informer<object> pods_;
    shared_informer<object> gadgets_;
    std::set<std::string> covered_{"a"};
    bool defined_ = false;
    told told_pods_;
    told told_gadgets_;
    std::vector<testing::task<void>> moves_;
    std::uint64_t changes_ = 0;
};

} // namespace kubecoro::simulation
