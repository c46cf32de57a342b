#pragma once
// Random operations of users and controllers of the cluster: every kind of change an informer can see.

#include "journal.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro::simulation {

/// The custom resource of every world.
[[nodiscard]] resource_type widgets();

/** Changes the server directly, without transport and faults.

    Uses a few names in three namespaces, so that objects are often changed, deleted and recreated. Refusals that follow
    from the random choice (not found, already exists, being deleted) are expected; others break the world. */
class operations
{
public:
    operations(apiserver::embedded_server& server, journal& notes, std::uint64_t seed);

    /// Creates the namespaces and the custom resource's definition. Await it once, first.
    boost::asio::awaitable<result<>> prepare();
    /// One operation, or a burst of them.
    boost::asio::awaitable<result<>> one();
    /// Creates objects until there are about `n` of each resource.
    boost::asio::awaitable<result<>> fill(std::size_t n);

    [[nodiscard]] static const std::vector<std::string>& namespaces();

private:
    struct place
    {
        const resource_type* resource;
        std::string ns;
        std::string name;
    };

    [[nodiscard]] place somewhere();
    [[nodiscard]] std::string collection(const place& p) const;
    [[nodiscard]] std::string target(const place& p, std::string_view subresource = {}) const;
    [[nodiscard]] std::string new_object(const place& p);
    [[nodiscard]] std::string new_labels();
    [[nodiscard]] std::string new_content(const place& p);
    [[nodiscard]] std::string number();

    boost::asio::awaitable<void> execute(std::string method, std::string at, std::string body = {});
    boost::asio::awaitable<void> change(const place& p);
    boost::asio::awaitable<void> remove(const place& p);
    boost::asio::awaitable<void> burst();

    apiserver::embedded_server* server_;
    journal* notes_;
    detail::random_source random_;
    std::vector<resource_type> resources_;
};

} // namespace kubecoro::simulation
