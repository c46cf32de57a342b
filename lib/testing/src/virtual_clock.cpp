#include <kubecoro/base/latch.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace asio = boost::asio;

namespace kubecoro::testing {
namespace {

constexpr time_point first_moment{std::chrono::hours{1}};
constexpr wall_time first_wall{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

} // namespace

struct virtual_clock::state
{
    using key = std::pair<time_point, std::uint64_t>;

    mutable std::mutex mutex;
    time_point now = first_moment;
    std::chrono::system_clock::duration wall_shift{0};
    std::uint64_t timers = 0;
    std::map<key, latch> sleepers;

    std::optional<latch> remove(const key& k)
    {
        std::lock_guard lock(mutex);
        auto at = sleepers.find(k);
        if (at == sleepers.end()) return std::nullopt;
        auto l = std::move(at->second);
        sleepers.erase(at);
        return l;
    }
};

class virtual_clock::alarm final : public timer
{
public:
    alarm(std::shared_ptr<state> s, std::uint64_t id) : state_(std::move(s)), id_(id) {}
    ~alarm() override { alarm::cancel(); }

    void expires_at(time_point when) override
    {
        cancel();
        when_ = when;
    }
    void cancel() noexcept override
    {
        if (const auto sleeper = state_->remove({when_, id_})) sleeper->settle(failure(cond::cancelled));
    }
    asio::awaitable<result<>> wait() override
    {
        const state::key k{when_, id_};
        const auto owner = state_;
        const latch woken;
        {
            std::lock_guard lock(owner->mutex);
            if (when_ <= owner->now) co_return result<>{};
            owner->sleepers.insert_or_assign(k, woken);
        }
        const stay s{*owner, k};
        co_return co_await woken.wait();
    }

private:
    struct stay
    {
        state& of;
        state::key k;
        ~stay() { of.remove(k); }
    };
    std::shared_ptr<state> state_;
    std::uint64_t id_;
    time_point when_{};
};

virtual_clock::virtual_clock() : state_(std::make_shared<state>()) {}
virtual_clock::~virtual_clock() = default;

time_point virtual_clock::now() const noexcept
{
    std::lock_guard lock(state_->mutex);
    return state_->now;
}

wall_time virtual_clock::wall_now() const noexcept
{
    std::lock_guard lock(state_->mutex);
    return first_wall + (state_->now - first_moment) + state_->wall_shift;
}

std::unique_ptr<timer> virtual_clock::make_timer(asio::any_io_executor)
{
    std::uint64_t id = 0;
    {
        std::lock_guard lock(state_->mutex);
        id = state_->timers++;
    }
    return std::make_unique<alarm>(state_, id);
}

std::optional<time_point> virtual_clock::next_event() const
{
    std::lock_guard lock(state_->mutex);
    if (state_->sleepers.empty()) return std::nullopt;
    return state_->sleepers.begin()->first.first;
}

void virtual_clock::advance_to(time_point when)
{
    std::vector<latch> due;
    {
        std::lock_guard lock(state_->mutex);
        if (when <= state_->now) return;
        state_->now = when;
        auto& all = state_->sleepers;
        while (!all.empty() && all.begin()->first.first <= when) {
            due.push_back(std::move(all.begin()->second));
            all.erase(all.begin());
        }
    }
    for (const auto& l : due) l.settle({});
}

void virtual_clock::shift_wall(std::chrono::system_clock::duration d)
{
    std::lock_guard lock(state_->mutex);
    state_->wall_shift += d;
}

std::size_t virtual_clock::waiting() const
{
    std::lock_guard lock(state_->mutex);
    return state_->sleepers.size();
}

} // namespace kubecoro::testing
