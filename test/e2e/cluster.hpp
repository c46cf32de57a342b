// The cluster that the end-to-end cases run against, with helpers for the cases.
#pragma once

#include "picture.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::e2e {

/// Returns an environment variable; empty when unset.
[[nodiscard]] std::string setting(const char* name);

/** An administrator's client on two threads. The destructor removes the objects created
    through make() and its variants, and restarts a server that disturb() stopped. */
class cluster
{
public:
    /// @param variable  Names the kubeconfig of an administrator.
    explicit cluster(const char* variable = "KUBECORO_E2E_KUBECONFIG");
    ~cluster();
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;

    [[nodiscard]] const client& api() const noexcept { return *client_; }
    [[nodiscard]] boost::asio::any_io_executor executor() { return pool_.get_executor(); }
    /// Loads the kubeconfig that the variable names; empty when the variable is unset.
    [[nodiscard]] static std::optional<cluster_config> config(const char* variable);
    [[nodiscard]] client connect(cluster_config config, client_options options = {});

    /// Returns a name that no other case or run uses.
    [[nodiscard]] std::string unique(const std::string& prefix) const { return prefix + "-" + suffix_; }
    /// Creates a namespace, which is removed at the end with its pods, config maps and widgets.
    std::string make_namespace(const std::string& prefix);
    /// Creates `count` namespaces, several at a time.
    std::vector<std::string> make_namespaces(const std::string& prefix, std::size_t count);
    /// Creates an object that is removed when the case ends; for objects outside of the case's namespaces.
    void make(const resource_type& type, const std::string& ns, const std::string& name, const std::string& json);
    /// The custom resource of this case; define() creates its definition.
    [[nodiscard]] resource_type widget_type() const;
    void define(const resource_type& custom);
    /// Deletes the definition and waits until it and its objects are removed.
    void undefine(const resource_type& custom);

    /// Reads every object of the resource in the namespaces (empty: all), page by page.
    [[nodiscard]] result<picture> read(const resource_type& type, const std::vector<std::string>& namespaces);

    /// Waits until a condition holds; checks it after every changed() and every 50 ms. @return whether it holds.
    bool eventually(const std::function<bool()>& holds, std::chrono::seconds limit = std::chrono::seconds{90});
    void changed() { news_.notify_all(); }

    /// Returns whether disturb() is available; when not, warns in the test's output.
    [[nodiscard]] static bool disturbable();
    /// Runs a sub-verb of `./dev cluster`: compact, kill-apiserver, start-apiserver, ... Throws when it fails.
    void disturb(const std::string& verb);

    /// Starts an operation in the background.
    template<class T>
    std::future<result<T>> start(boost::asio::awaitable<result<T>> operation)
    {
        auto promise = std::make_shared<std::promise<result<T>>>();
        boost::asio::co_spawn(boost::asio::make_strand(pool_), std::move(operation),
                              [promise](std::exception_ptr thrown, result<T> r) {
                                  if (thrown)
                                      promise->set_exception(thrown);
                                  else
                                      promise->set_value(std::move(r));
                              });
        return promise->get_future();
    }

    /// Runs an operation to its end. Throws when that takes longer than `limit`.
    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> operation, std::chrono::seconds limit = std::chrono::seconds{60})
    {
        auto outcome = start(std::move(operation));
        if (outcome.wait_for(limit) != std::future_status::ready)
            throw std::runtime_error("an operation did not end in time");
        return outcome.get();
    }

private:
    struct created
    {
        resource_type type;
        std::string ns;
        std::string name;
    };

    void empty(const std::string& ns);
    void remove(const created& c);

    boost::asio::thread_pool pool_{2};
    std::optional<client> client_;
    std::string suffix_;
    std::vector<created> created_;
    std::mutex mutex_;
    std::condition_variable news_;
    bool server_down_ = false;
    bool server_stopped_ = false;
};

/// An informer factory that the destructor stops and joins.
class informers
{
public:
    informers(cluster& c, std::shared_ptr<source_provider> provider, factory_options options = {});
    ~informers();
    informers(const informers&) = delete;
    informers& operator=(const informers&) = delete;

    informer_factory* operator->() noexcept { return &factory_; }
    void stop();

private:
    cluster* cluster_;
    informer_factory factory_;
};

/// Options with a short backoff, for fast recovery; the other options have their defaults.
[[nodiscard]] factory_options impatient();

/// A port of the loopback interface that is free now.
[[nodiscard]] std::uint16_t free_port();

} // namespace kubecoro::e2e
