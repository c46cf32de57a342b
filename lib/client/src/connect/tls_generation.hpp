#pragma once
// The connections of one state of the TLS settings.

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
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

} // namespace kubecoro::detail
