// The demo's workload: simulates a busy cluster through the API, like any other client.
#pragma once

#include "demo_feed.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/core_v1/pod.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::tool {

/** Creates, updates and deletes objects at a readable pace.

    Every step is a coroutine that fails with the first request that fails. Not thread safe. */
class workload
{
public:
    /// @param pace  Awaited after every write.
    workload(client api, std::uint64_t seed, std::function<boost::asio::awaitable<result<>>()> pace);

    /// Rolls out a new version of a deployment: a new replica set, then replaces pod by pod.
    [[nodiscard]] boost::asio::awaitable<result<>> rollout(std::string ns, std::string app, std::size_t pods);
    /// Adds or removes pods of a deployment.
    [[nodiscard]] boost::asio::awaitable<result<>> scale(std::string ns, std::string app, int change);
    /// A node stops responding and its pods become unready; then both recover.
    [[nodiscard]] boost::asio::awaitable<result<>> node_outage(std::string node, std::size_t pods);
    /// Changes some config maps of a namespace.
    [[nodiscard]] boost::asio::awaitable<result<>> configure(std::string ns, std::size_t count);
    /// Creates a custom resource, spends its budget and ends it.
    [[nodiscard]] boost::asio::awaitable<result<>> campaign(std::string name, std::size_t changes);
    /// Performs one of the above, with random arguments.
    [[nodiscard]] boost::asio::awaitable<result<>> anything();

    /// Number of writes so far.
    [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

private:
    /// One object of the kind, chosen at random.
    template<class T>
    [[nodiscard]] boost::asio::awaitable<result<typed_object<T>>> find(std::string ns, std::string selector);
    [[nodiscard]] boost::asio::awaitable<result<std::vector<typed_object<core_v1::pod>>>> pods_of(std::string ns,
                                                                                                  std::string app);
    /// Creates the object in the namespace that it names.
    template<class T>
    [[nodiscard]] boost::asio::awaitable<result<>> create(T wanted);
    /// Sets the fields of the object that `change` has.
    template<class T>
    [[nodiscard]] boost::asio::awaitable<result<>> patch(std::string ns, std::string name, T change,
                                                         std::string subresource = {});
    template<class T>
    [[nodiscard]] boost::asio::awaitable<result<>> remove(object_key key);
    /// Performs a write, counts it and keeps the pace.
    [[nodiscard]] boost::asio::awaitable<result<>> paced(boost::asio::awaitable<result<object>> write);
    [[nodiscard]] boost::asio::awaitable<result<>> set_ready(typed_object<core_v1::pod> pod, bool ready);
    [[nodiscard]] boost::asio::awaitable<result<>> start_pod_like(typed_object<core_v1::pod> model,
                                                                  std::string replica_set, std::string hash);
    [[nodiscard]] std::string random_name(std::size_t length);
    [[nodiscard]] std::size_t random_below(std::size_t n) { return n ? random_() % n : 0; }

    client api_;
    detail::random_source random_;
    std::function<boost::asio::awaitable<result<>>()> pace_;
    std::uint64_t writes_ = 0;
};

} // namespace kubecoro::tool
