#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
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

struct task_group::state
{
    struct child
    {
        std::string name;
        asio::any_io_executor executor;
        std::shared_ptr<asio::cancellation_signal> signal;
        bool asked_to_stop = false;
    };

    /// A child's entry in the group. Removed with the child's coroutine, also when that is destroyed.
    class place
    {
    public:
        place(std::shared_ptr<state> group, std::uint64_t id) noexcept : group_(std::move(group)), id_(id) {}
        place(place&& other) noexcept = default;
        place& operator=(place&&) = delete;
        ~place()
        {
            if (group_) state::destroyed(std::move(group_), id_);
        }
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

    state(const asio::any_io_executor& e, logger l, failure_handler f)
        : executor(e), log(std::move(l)), on_failure(std::move(f))
    {
    }

    const detail::kept_executor executor;
    logger log;
    const failure_handler on_failure;
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
        if (outcome.has_error() && outcome.error() != cond::cancelled) failed(id, outcome.error());
        std::vector<std::shared_ptr<void>> released; // destroyed last: may destroy the group itself
        std::optional<latch> joined;
        decltype(children)::node_type gone;
        {
            std::lock_guard lock(mutex);
            gone = children.extract(id);
            if (children.empty()) {
                joined = std::exchange(empty, std::nullopt);
                released.swap(owners);
            }
        }
        if (joined) joined->settle({});
    }

    /// The child still counts as running: the owner exists.
    void failed(std::uint64_t id, const failure& why) noexcept
    {
        try {
            std::string name;
            bool first = false;
            {
                std::lock_guard lock(mutex);
                name = children.at(id).name;
                if ((first = first_failure.has_value())) first_failure = why;
            }
            if (first && on_failure) return on_failure(name, why);
            // The owner has ended by the first one.
            log.write(on_failure ? log_level::debug : log_level::error, "a task failed",
                      {{"task", name}, {"failure", why.describe()}});
        } catch (...) {
            log.error("the failure of a task could not be handled",
                      {{"failure", to_failure(std::current_exception()).message()}});
        }
    }

    /// A context that ends destroys the function below without calling it.
    static void destroyed(std::shared_ptr<state> group, std::uint64_t id) noexcept
    {
        try {
            const auto where = group->executor_of(id);
            auto end = std::make_shared<ending>(group, id);
            asio::post(where, [end = std::move(end)] {
                end->outcome = failure(cond::internal, "it was destroyed before its end, probably for lack of memory");
            });
        } catch (const std::exception&) { // ended by `end`, if there is one
            group->ended(id, {});
        }
    }

    struct ending
    {
        ending(std::shared_ptr<state> g, std::uint64_t n) noexcept : group(std::move(g)), id(n) {}
        ending(ending&&) = delete;
        ending& operator=(ending&&) = delete;
        ~ending() { group->ended(id, outcome); }
        std::shared_ptr<state> group;
        std::uint64_t id;
        result<> outcome;
    };

    [[nodiscard]] asio::any_io_executor executor_of(std::uint64_t id) const
    {
        std::lock_guard lock(mutex);
        return children.at(id).executor;
    }

    /// Runs on the child's executor, so that starting and cancelling a child never run concurrently.
    static void start(place p, asio::any_io_executor where, std::shared_ptr<asio::cancellation_signal> signal,
                      asio::awaitable<result<>> task)
    {
        if (p.too_late()) return p.leave({});
        auto slot = signal->slot();
        auto done = [p = std::move(p), signal = std::move(signal)](std::exception_ptr thrown,
                                                                   const result<>& outcome) mutable {
            p.leave(thrown ? result<>(to_failure(std::move(thrown))) : outcome);
        };
        asio::co_spawn(where, std::move(task), asio::bind_cancellation_slot(slot, std::move(done)));
    }

    void stop()
    {
        std::lock_guard lock(mutex);
        stopping = true;
        for (auto& [id, c] : children) {
            if (c.asked_to_stop) continue;
            asio::post(c.executor, [signal = c.signal] { signal->emit(asio::cancellation_type::terminal); });
            c.asked_to_stop = true;
        }
    }

    static asio::awaitable<result<>> stopped(std::shared_ptr<state> self)
    {
        do {
            try {
                self->stop();
                co_await join(self);
            } catch (const std::exception&) { // tries again: no child may outlive the group
            }
        } while (self->runs());
        co_return result<>{};
    }

    [[nodiscard]] bool runs() const
    {
        std::lock_guard lock(mutex);
        return !children.empty();
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

task_group::task_group(asio::any_io_executor executor, logger log, failure_handler on_failure)
    : state_(std::make_shared<state>(executor, std::move(log), std::move(on_failure)))
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

void task_group::stop() { state_->stop(); }

asio::awaitable<result<>> task_group::join() { return state::join(state_); }
asio::awaitable<void> task_group::stopped()
{
    const auto drop = [](asio::awaitable<result<>> ending) -> asio::awaitable<void> { co_await std::move(ending); };
    return drop(detail::finishing(state::stopped(state_)));
}

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
