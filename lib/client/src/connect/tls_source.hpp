#pragma once
// The TLS settings of new connections, which follow their files, and the connections of each state of them.

#include "auth/exec_login.hpp"
#include "files/background_call.hpp"
#include "files/tls_files_core.hpp"

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/client/kubeconfig.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace boost::asio::ssl {
class context;
}

namespace kubecoro::detail {

/** The TLS settings that connections were opened with, and those connections. It is retired when newer settings exist:
    its connections carry no further requests, and those with a response that may end early end at once. Thread safe. */
class tls_generation
{
public:
    /// A connection that reacts to the end.
    class listener
    {
    public:
        /// Called once, in any thread, under the lock of add() and remove(): calls neither.
        virtual void on_retired() noexcept = 0;

    protected:
        ~listener() = default;
    };

    explicit tls_generation(std::shared_ptr<boost::asio::ssl::context> c) : context_(std::move(c)) {}

    [[nodiscard]] const std::shared_ptr<boost::asio::ssl::context>& context() const noexcept { return context_; }
    [[nodiscard]] bool is_retired() const noexcept { return retired_.load(std::memory_order_acquire); }

    void retire()
    {
        const std::lock_guard lock(mutex_);
        if (retired_.exchange(true, std::memory_order_acq_rel)) return;
        for (auto* l : listeners_) l->on_retired();
    }
    /// Calls the listener at once if the generation is retired. It stays until remove(), which does not fail.
    void add(listener& l)
    {
        const std::lock_guard lock(mutex_);
        if (listeners_.insert(&l).second && is_retired()) l.on_retired();
    }
    void remove(listener& l) noexcept
    {
        const std::lock_guard lock(mutex_);
        listeners_.erase(&l);
    }

private:
    std::shared_ptr<boost::asio::ssl::context> context_;
    std::atomic<bool> retired_{false};
    std::mutex mutex_;
    std::set<listener*> listeners_;
};

/// A proxy is not shown the client certificate, and its own may be of an authority of the system, see make_proxy_tls_context().
enum class tls_peer
{
    server,
    proxy
};

/** Makes TLS settings of a configuration, and new ones when a certificate or key has changed. Files are looked at for
    each new connection, after a failed handshake, after a 401, and for a request if the last look is ten seconds old.

    They are read on a thread of their own, one read at a time, since a network file system may hang: a caller that has waited for a
    second continues with the settings in use, and so does everybody else until that read has ended. Thread safe. */
class tls_source
{
public:
    struct settings
    {
        /// Server, certificates and their files. Its texts are the first contents.
        cluster_config config;
        environment machine;
        std::shared_ptr<time_source> time;
        std::shared_ptr<metrics> numbers;
        logger log;
        /// A plugin whose client certificate is used.
        exec_access plugin = {};
        tls_peer peer = tls_peer::server;
    };

    /// Reads the files for the first time, which may block. Errors: cond::misconfigured naming the part that cannot be used.
    [[nodiscard]] static result<std::shared_ptr<tls_source>> make(settings s);

    /// The settings for a new connection. Errors: misconfigured, and those of the plugin.
    [[nodiscard]] boost::asio::awaitable<result<std::shared_ptr<tls_generation>>> newest();
    /// Before a request: retires connections whose settings are no longer current. Nothing to await: there is no need to look
    /// at the files.
    [[nodiscard]] std::optional<boost::asio::awaitable<void>> refresh();
    /// Looks at the files now. @return whether there are newer settings than these.
    [[nodiscard]] boost::asio::awaitable<bool> renewed_since(const tls_generation* used);
    /// The settings in use.
    [[nodiscard]] std::shared_ptr<tls_generation> current() const;

private:
    struct counters
    {
        std::shared_ptr<metrics::counter> updated;
        std::shared_ptr<metrics::counter> unusable;
        /// End of the client certificate, in seconds since 1970. Null for a proxy.
        std::shared_ptr<metrics::gauge> expiry;
    };

    explicit tls_source(settings s);
    [[nodiscard]] bool has_files() const noexcept;
    /// A read of the files and when it began.
    struct reading
    {
        std::shared_ptr<background_call<tls_files>> call = {};
        time_point begun = {};
    };
    [[nodiscard]] static tls_files read(const cluster_config& config, const environment& machine);
    /// The read that runs, or a new one; none if there can be none.
    [[nodiscard]] reading begin_reading();
    /// @param why  Receives why there can be none.
    [[nodiscard]] reading begin_locked(std::optional<failure>& why);
    [[nodiscard]] reading reading_now() const;
    [[nodiscard]] boost::asio::awaitable<void> look();
    /// Takes what a read has found, once. Nothing happens before it has ended.
    void take(const reading& ended);
    [[nodiscard]] tls_files_core::outcome take_locked(const tls_files& now);
    /// Counts and logs it. Called without the lock, since the sink of a log may use the client.
    void tell(const tls_files_core::outcome& seen) const;
    [[nodiscard]] result<> renew(const tls_texts& texts);
    /// Warns of the authorities that are not among those in use.
    void report_damage() const;
    /// Uses the client certificate of the plugin.
    [[nodiscard]] result<> follow(const held_credential& credential);

    settings with_;
    counters counters_;
    std::atomic<time_point> looked_at_{};

    mutable checked_mutex mutex_;
    tls_files_core core_;
    std::shared_ptr<tls_generation> current_;
    /// Without a call: none runs.
    reading reading_;
    held_credential followed_;
};

} // namespace kubecoro::detail
