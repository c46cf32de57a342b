#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/context_bound.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/task_group.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {

struct task_group::state : std::enable_shared_from_this<task_group::state>
{
    struct child
    {
        std::string name;
        asio::any_io_executor executor;
        std::shared_ptr<asio::cancellation_signal> signal;
        bool asked_to_stop = false;
    };
    struct stop_request
    {
        std::uint64_t id;
        asio::any_io_executor executor;
        std::shared_ptr<asio::cancellation_signal> signal;
    };

    /// A child's entry in the group. Removed with the child's coroutine, also when that is destroyed with its context.
    class place
    {
    public:
        place(std::shared_ptr<state> group, std::uint64_t id) noexcept : group_(std::move(group)), id_(id) {}
        place(place&& other) noexcept = default;
        place& operator=(place&&) = delete;
        ~place() { leave({}); }
        void leave(const result<>& outcome) noexcept
        {
            if (auto group = std::exchange(group_, nullptr)) group->ended(id_, outcome);
        }
        /// True when the group was stopped before the child began.
        [[nodiscard]] bool too_late() const
        {
            std::lock_guard lock(group_->mutex);
            return group_->stopping;
        }

    private:
        std::shared_ptr<state> group_;
        std::uint64_t id_;
    };

    state(const asio::any_io_executor& e, logger l) : executor(e), log(std::move(l)) {}

    const kept_executor executor;
    logger log;
    mutable std::mutex mutex;
    std::map<std::uint64_t, child> children;
    std::uint64_t next_id = 0;
    bool stopping = false;
    result<> first_failure;
    /// Created by the first join() while children run; settled and dropped when the last child ends.
    std::optional<latch> empty;
    /// Kept alive until the last child ends.
    std::vector<std::shared_ptr<void>> owners;

    void ended(std::uint64_t id, const result<>& outcome) noexcept
    {
        std::vector<std::shared_ptr<void>> released; // destroyed last: may destroy the group itself
        std::optional<latch> joined;
        child gone;
        {
            std::lock_guard lock(mutex);
            auto at = children.find(id);
            gone = std::move(at->second);
            children.erase(at);
            if (outcome.has_error() && outcome.error() != cond::cancelled && first_failure.has_value())
                first_failure = outcome;
            if (children.empty()) {
                joined = std::exchange(empty, std::nullopt);
                released.swap(owners);
            }
        }
        if (outcome.has_error() && outcome.error() != cond::cancelled)
            log.error("a task failed", {{"task", gone.name}, {"failure", outcome.error().describe()}});
        if (joined) joined->settle({});
    }

    /// The next child that stop() has to ask, from that id on; it counts as asked.
    std::optional<stop_request> next_to_stop(std::uint64_t from)
    {
        std::lock_guard lock(mutex);
        stopping = true;
        for (auto at = children.lower_bound(from); at != children.end(); ++at)
            if (!std::exchange(at->second.asked_to_stop, true))
                return stop_request{at->first, at->second.executor, at->second.signal};
        return std::nullopt;
    }

    void not_asked(std::uint64_t id)
    {
        std::lock_guard lock(mutex);
        if (const auto at = children.find(id); at != children.end()) at->second.asked_to_stop = false;
    }

    /// Runs on the child's executor, so that starting and cancelling a child never run concurrently.
    static void start(place p, asio::any_io_executor where, std::shared_ptr<asio::cancellation_signal> signal,
                      asio::awaitable<result<>> task)
    {
        if (p.too_late()) return;
        auto slot = signal->slot();
        auto done = [p = std::move(p), signal = std::move(signal)](std::exception_ptr thrown,
                                                                   const result<>& outcome) mutable {
            p.leave(thrown ? result<>(to_failure(std::move(thrown))) : outcome);
        };
        asio::co_spawn(where, std::move(task), asio::bind_cancellation_slot(slot, std::move(done)));
    }

    static asio::awaitable<result<>> join(std::shared_ptr<state> self)
    {
        std::optional<latch> wait_for;
        {
            std::lock_guard lock(self->mutex);
            if (self->children.empty()) co_return result<>{};
            if (!self->empty) self->empty.emplace();
            wait_for = self->empty;
        }
        co_return co_await wait_for->wait();
    }
};

task_group::task_group(asio::any_io_executor executor, logger log)
    : state_(std::make_shared<state>(executor, std::move(log)))
{
}

task_group::~task_group()
{
    const auto left = names();
    if (left.empty()) return;
    std::string text = "kubecoro: a task_group was destroyed with running tasks (stop() and join() it first):";
    for (const auto& n : left) text += ' ' + n;
    state_->log.error(text);
    std::fprintf(stderr, "%s\n", text.c_str());
    std::abort();
}

bool task_group::spawn(std::string name, asio::awaitable<result<>> child)
{
    return spawn(std::move(name), state_->executor.get(), std::move(child));
}

bool task_group::spawn(std::string name, asio::any_io_executor where, asio::awaitable<result<>> child)
{
    auto signal = std::make_shared<asio::cancellation_signal>();
    std::uint64_t id = 0;
    {
        std::lock_guard lock(state_->mutex);
        if (state_->stopping || !where) return false;
        id = state_->next_id++;
        state_->children.emplace(id, state::child{std::move(name), where, signal});
    }
    auto begin = [p = state::place(state_, id), where, signal = std::move(signal), task = std::move(child)]() mutable {
        state::start(std::move(p), where, std::move(signal), std::move(task));
    };
    asio::post(where, std::move(begin));
    return true;
}

void task_group::stop()
{
    for (std::uint64_t from = 0; auto next = state_->next_to_stop(from); from = next->id + 1) {
        try {
            asio::post(next->executor, [signal = next->signal] { signal->emit(asio::cancellation_type::terminal); });
        } catch (...) { // no memory: the next call asks those that are left
            state_->not_asked(next->id);
            throw;
        }
    }
}

asio::awaitable<result<>> task_group::join() { return state::join(state_); }

void task_group::keep_until_ended(std::shared_ptr<void> owner)
{
    std::lock_guard lock(state_->mutex);
    if (!state_->children.empty()) state_->owners.push_back(std::move(owner));
}

std::size_t task_group::running() const
{
    std::lock_guard lock(state_->mutex);
    return state_->children.size();
}

std::vector<std::string> task_group::names() const
{
    std::lock_guard lock(state_->mutex);
    std::vector<std::string> out;
    out.reserve(state_->children.size());
    for (const auto& [id, c] : state_->children) out.push_back(c.name);
    return out;
}

result<> task_group::first_failure() const
{
    std::lock_guard lock(state_->mutex);
    return state_->first_failure;
}

} // namespace kubecoro
