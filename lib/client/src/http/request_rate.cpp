#include "http/request_rate.hpp"

#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

/// Goes back unless it is used.
class request_rate::token
{
public:
    explicit token(request_rate& of) : of_(of)
    {
        const std::lock_guard lock(of_.mutex_);
        wait_ = of_.core_.take(of_.time_->now());
    }
    ~token()
    {
        if (used_) return;
        const std::lock_guard lock(of_.mutex_);
        of_.core_.give_back(of_.time_->now());
    }
    token(const token&) = delete;
    token& operator=(const token&) = delete;

    [[nodiscard]] duration wait() const noexcept { return wait_; }
    void use() noexcept { used_ = true; }

private:
    request_rate& of_;
    duration wait_{};
    bool used_ = false;
};

asio::awaitable<result<>> request_rate::turn(duration& waited)
{
    token mine(*this);
    waited = mine.wait();
    if (waited > duration::zero()) {
        KUBECORO_TRY(co_await sleep_for(*time_, waited));
    }
    mine.use();
    co_return result<>{};
}

void request_rate::on_too_many()
{
    const std::lock_guard lock(mutex_);
    core_.on_too_many(time_->now());
}

} // namespace kubecoro::detail
