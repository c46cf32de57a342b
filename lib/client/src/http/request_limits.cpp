#include "http/request_limits.hpp"

#include "observe/request_meters.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <map>
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

namespace {

struct slots
{
    explicit slots(std::size_t most) : core(most) {}

    std::mutex mutex;
    connection_slots_core core;
    connection_slots_core::id next = 1;
    std::map<connection_slots_core::id, latch> waiting;
};

/// A slot of one request, or its place in the queue.
class slot
{
public:
    explicit slot(std::shared_ptr<slots> of) noexcept : of_(std::move(of)) {}
    slot(slot&& other) noexcept : of_(std::move(other.of_)), id_(std::exchange(other.id_, 0)) {}
    slot& operator=(slot&&) = delete;
    ~slot()
    {
        if (id_ == 0) return;
        const std::lock_guard lock(of_->mutex);
        of_->waiting.erase(id_);
        if (of_->core.give_up(id_)) return;
        if (const auto next = of_->core.leave()) of_->waiting.extract(*next).mapped().settle({});
    }

    asio::awaitable<result<>> enter()
    {
        latch turn;
        {
            const std::lock_guard lock(of_->mutex);
            id_ = of_->next++;
            if (of_->core.enter(id_)) co_return result<>{};
            of_->waiting.emplace(id_, turn);
        }
        co_return co_await turn.wait();
    }

private:
    std::shared_ptr<slots> of_;
    connection_slots_core::id id_ = 0;
};

class admitted_answer final : public answer
{
public:
    admitted_answer(slot s, std::unique_ptr<answer> of) : slot_(std::move(s)), of_(std::move(of)) {}

    const answer_head& head() const noexcept override { return of_->head(); }
    asio::awaitable<result<std::string_view>> read_some() override { return of_->read_some(); }
    std::string_view read_arrived() override { return of_->read_arrived(); }
    bool at_end() const noexcept override { return of_->at_end(); }
    void read_in_bulk(bool on) noexcept override { of_->read_in_bulk(on); }

private:
    // Left after the connection has been returned.
    slot slot_;
    std::unique_ptr<answer> of_;
};

class limited_transport final : public transport
{
public:
    limited_transport(std::shared_ptr<transport> over, std::size_t most)
        : over_(std::move(over)), slots_(std::make_shared<slots>(most))
    {
    }

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        if (is_stream(r.target)) return over_->send(std::move(r));
        return catch_failure(admit(over_, slots_, std::move(r)));
    }

private:
    static asio::awaitable<result<std::unique_ptr<answer>>> admit(std::shared_ptr<transport> over,
                                                                  std::shared_ptr<slots> of, request r)
    {
        slot mine(std::move(of));
        KUBECORO_TRY(co_await mine.enter());
        KUBECORO_TRY(auto got, co_await over->send(std::move(r)));
        co_return result<std::unique_ptr<answer>>(std::make_unique<admitted_answer>(std::move(mine), std::move(got)));
    }

    std::shared_ptr<transport> over_;
    std::shared_ptr<slots> slots_;
};

} // namespace

std::shared_ptr<transport> limit_requests(std::shared_ptr<transport> over, std::size_t most)
{
    return std::make_shared<limited_transport>(std::move(over), most);
}

} // namespace kubecoro::detail
