// The API server that the conformance cases run against: the embedded server or a real one.
#pragma once

#include <kubecoro/client/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::conformance {

/** An administrator's client and a namespace for one case, which is removed when the case ends.

    KUBECORO_CONFORMANCE=cluster selects the cluster of KUBECORO_E2E_KUBECONFIG; otherwise an embedded server is started
    with TLS on loopback. Not thread safe: everything runs inside run(). */
class cluster_under_test
{
public:
    cluster_under_test();
    ~cluster_under_test();

    [[nodiscard]] const std::string& ns() const noexcept { return ns_; }
    [[nodiscard]] const client& api() const noexcept { return *client_; }
    /// Another client of the same user.
    [[nodiscard]] client connect(client_options options = {}) const;
    /// A resource in this case's namespace.
    [[nodiscard]] resource_client<object> in_ns(const resource_type& type) const { return api().resource(type, ns_); }
    /// Returns a name that no other run uses.
    [[nodiscard]] std::string unique(const std::string& prefix) const { return prefix + "-" + suffix_; }

    /// Runs an operation to its end. Aborts the program when that takes more than 30 s.
    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> operation)
    {
        std::optional<result<T>> outcome;
        std::exception_ptr thrown;
        boost::asio::co_spawn(*context_, std::move(operation), [&](std::exception_ptr e, result<T> r) {
            thrown = e;
            outcome.emplace(std::move(r));
        });
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{30};
        context_->restart();
        while (!outcome && std::chrono::steady_clock::now() < until) context_->run_one_for(std::chrono::seconds{1});
        if (thrown) std::rethrow_exception(thrown);
        // Cannot return: the operation still refers to this frame.
        if (!outcome) std::abort();
        return std::move(*outcome);
    }

    /// Sends a request whose answer, in JSON, may be a refusal. @param type  The Content-Type; empty = none.
    result<client::raw_answer> send(std::string method, std::string target, std::string_view type, std::string body);
    /// Returns the next event that is not a bookmark.
    result<watch_event> next_event(watch_stream& watch);
    /// Returns the events up to and including the first for which `last` is true.
    std::vector<watch_event> events_until(watch_stream& watch, bool (*last)(const watch_event&));

    /// Compacts the history, so that earlier versions of config maps expire. @return false when not supported.
    bool forget_history();

private:
    void finalize_namespace();

    struct embedded;
    std::unique_ptr<boost::asio::io_context> context_;
    std::unique_ptr<embedded> embedded_;
    cluster_config config_;
    std::optional<client> client_;
    std::string suffix_;
    std::string ns_;
    std::vector<watch_event> waiting_;
};

/// A config map; `more` is appended to its metadata, e.g. `,"labels":{"a":"b"}`.
[[nodiscard]] std::string config_map(const std::string& name, const std::string& value = "1",
                                     const std::string& more = {});
/// A minimal valid deployment.
[[nodiscard]] std::string deployment(const std::string& name, int replicas);
[[nodiscard]] std::string pod(const std::string& name, const std::string& more = {});

} // namespace kubecoro::conformance
