#include "informer/strand_turns.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>

#include <memory>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

void strand_turns::call(std::function<void()> f)
{
    if (taken_ || !waiting_.empty())
        waiting_.push_back(std::move(f));
    else
        f();
}

void strand_turns::work(std::function<bool()> some)
{
    KUBECORO_EXPECT(!taken_);
    taken_ = true;
    go_on(some);
}

void strand_turns::go_on(const std::function<bool()>& some)
{
    struct turn
    {
        strand_turns& of;
        bool more = false;
        ~turn()
        {
            if (!more) of.give_back();
        }
    } now{*this};
    now.more = some();
    if (now.more) post_([this, some] { go_on(some); });
}

bool strand_turns::try_take(bool first) noexcept
{
    if (taken_ || (!first && !waiting_.empty())) return false;
    taken_ = true;
    return true;
}

void strand_turns::give_back()
{
    taken_ = false;
    if (!waiting_.empty() && !std::exchange(posted_, true)) post_([this] { call_next(); });
}

void strand_turns::close()
{
    taken_ = posted_ = false;
    std::exchange(waiting_, {}).clear();
}

/// One at a time: thousands may wait.
void strand_turns::call_next()
{
    posted_ = false;
    if (taken_ || waiting_.empty()) return;
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    const struct rest // also after an exception
    {
        strand_turns& of;
        ~rest()
        {
            if (!of.taken_) of.give_back();
        }
    } follows{*this};
    next();
}

asio::awaitable<result<>> strand_turns::take()
{
    if (try_take()) co_return result<>{};
    struct wish
    {
        wake_signal granted = {};
        bool holds = false;
        bool gone = false;
    };
    const auto mine = std::make_shared<wish>();
    const struct leave
    {
        strand_turns& of;
        wish& w;
        ~leave()
        {
            w.gone = true;
            if (w.holds) of.give_back();
        }
    } leaving{*this, *mine};
    waiting_.push_back([this, mine] {
        if (mine->gone) return;
        taken_ = mine->holds = true;
        mine->granted.notify();
    });
    const auto woken = co_await mine->granted.wait();
    if (woken) mine->holds = false; // the caller gives it back
    co_return woken;
}

} // namespace kubecoro::detail
