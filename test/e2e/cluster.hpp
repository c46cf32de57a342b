// The cluster that the end-to-end cases run against, and what they need of it.
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

/// Empty when unset.
[[nodiscard]] std::string setting(const char* name);

/** An administrator's client for KUBECORO_E2E_KUBECONFIG on two threads. What a case creates through it goes when the
    case ends, however it ends; what it disturbed runs again. */
class cluster
{
public:
    cluster();
    ~cluster();
    cluster(const cluster&) = delete;
    cluster& operator=(const cluster&) = delete;

    [[nodiscard]] const client& api() const noexcept { return *client_; }
    [[nodiscard]] boost::asio::any_io_executor executor() { return pool_.get_executor(); }
    /// The configuration of the variable's kubeconfig; empty when the variable is unset.
    [[nodiscard]] static std::optional<cluster_config> config(const char* variable);
    [[nodiscard]] client connect(cluster_config config);

    /// Text that no other case and no other run uses.
    [[nodiscard]] std::string unique(const std::string& prefix) const { return prefix + "-" + suffix_; }
    /// Its content goes with it, as far as it is of the kinds that these cases write.
    std::string make_namespace(const std::string& prefix);
    /// That many of them, several at a time.
    std::vector<std::string> make_namespaces(const std::string& prefix, std::size_t count);
    /// Creates an object that is removed when the case ends; for what lies outside of the case's namespaces.
    void make(const resource_type& type, const std::string& ns, const std::string& name, const std::string& json);
    /// The name is known, the definition not yet created.
    [[nodiscard]] resource_type widget_type() const;
    void define(const resource_type& custom);
    /// Completes when the definition is gone, and its objects with it.
    void undefine(const resource_type& custom);

    /// Every object of that resource in these namespaces (none: all), read page by page.
    [[nodiscard]] result<picture> read(const resource_type& type, const std::vector<std::string>& namespaces);

    /// Waits until a condition holds; looks after every changed() and now and then. @return whether it came to hold.
    bool eventually(const std::function<bool()>& holds, std::chrono::seconds limit = std::chrono::seconds{90});
    void changed() { news_.notify_all(); }

    /// Whether disturb() can do anything; says in the test's output when not.
    [[nodiscard]] static bool disturbable();
    /// A sub-verb of `./dev cluster`: compact, kill-apiserver, start-apiserver, ... Throws when it fails.
    void disturb(const std::string& verb);

    /// Runs on in the background.
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

    /// Runs an operation to its end. Throws when that takes too long.
    template<class T>
    result<T> run(boost::asio::awaitable<result<T>> operation, std::chrono::seconds limit = std::chrono::seconds{60})
    {
        auto outcome = start(std::move(operation));
        if (outcome.wait_for(limit) != std::future_status::ready) throw std::runtime_error("an operation did not end");
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

/// A factory that is stopped and joined on the way out of a case.
class informers
{
public:
    informers(cluster& c, std::shared_ptr<source_provider> provider, factory_options options = factory_options());
    ~informers();
    informers(const informers&) = delete;
    informers& operator=(const informers&) = delete;

    informer_factory* operator->() noexcept { return &factory_; }
    void stop();

private:
    cluster* cluster_;
    informer_factory factory_;
};

/// Short delays, so that recovery is seen soon; everything else as users have it.
[[nodiscard]] factory_options impatient();

} // namespace kubecoro::e2e
