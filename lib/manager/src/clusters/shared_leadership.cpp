#include "clusters/shared_leadership.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

asio::awaitable<result<>> shared_leadership::hold(std::shared_ptr<shared_leadership> self, latch stop)
{
    self->granted_.settle({});
    const auto asked = co_await catch_failure(stop.wait());
    self->end();
    if (!asked) self->lose();
    while (!self->idle_.settled()) {
        const auto idle = co_await catch_failure(self->idle_.wait());
        if (!idle) self->lose();
    }
    co_return result<>{};
}

void shared_leadership::end()
{
    std::shared_ptr<presence> own;
    {
        std::lock_guard lock(mutex_);
        own = std::move(presence_);
    }
    ending_.settle({});
}

void shared_leadership::lose()
{
    lost_.settle(failure(cond::conflict, "the leadership of the program has ended, or its grace period"));
}

} // namespace kubecoro::detail
