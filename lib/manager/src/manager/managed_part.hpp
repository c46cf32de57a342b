#pragma once

#include "manager/manager_core.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/manager/manager.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kubecoro::detail {

/// A controller or a coroutine of a manager. Thread safe.
class managed_part
{
public:
    managed_part(std::string n, patient_runnable f, bool is_patient)
        : name(std::move(n)), body_(std::move(f)), patient_(is_patient)
    {
    }
    managed_part(std::string n, resource_type r, key_share s, std::unique_ptr<controller<object>> c)
        : name(std::move(n)), resource(std::move(r)), share(std::move(s)), controlled(std::move(c))
    {
    }
    managed_part(const managed_part&) = delete;
    managed_part& operator=(const managed_part&) = delete;

    /// One start of the part.
    struct attempt
    {
        /// Settled to ask for the end.
        latch stop;
        /// Settled when the time for that is over.
        latch cancel;
    };
    [[nodiscard]] attempt begin()
    {
        std::lock_guard lock(mutex_);
        current_ = {};
        return current_;
    }
    void ask_to_stop()
    {
        if (controlled) return controlled->request_stop(); // which has a grace period of its own
        const auto a = current();
        a.stop.settle({});
        if (!patient_) a.cancel.settle({});
    }
    void cancel()
    {
        if (controlled) return controlled->request_stop_at_once(); // run() waits for it
        current().cancel.settle({});
    }

    [[nodiscard]] boost::asio::awaitable<result<>> run(latch stop)
    {
        return controlled ? controlled->run() : body_(std::move(stop));
    }

    const std::string name;
    /// The resource of the controlled objects.
    const resource_type resource = {};
    /// The keys that the controller works on.
    const key_share share = {};
    /// Null: a coroutine.
    const std::unique_ptr<controller<object>> controlled = {};
    part_id id = 0;
    /// Settled when the part was removed and nothing of it runs any more.
    latch gone;

private:
    [[nodiscard]] attempt current() const
    {
        std::lock_guard lock(mutex_);
        return current_;
    }

    patient_runnable body_;
    bool patient_ = true;
    mutable std::mutex mutex_;
    attempt current_;
};

} // namespace kubecoro::detail
