#pragma once

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/** Owns running coroutines: nothing in the library is detached.

    Spawn children, ask all to stop, and await their end. Thread safe. Destroying a group with running children is a
    programming error: it is logged and the program aborts in every build, because the children would outlive the
    objects they refer to. After stop(), spawn() refuses new children. The group may outlive the context of its
    executor. */
class task_group
{
public:
    /// Called with the name of a child and why it failed.
    using failure_handler = std::function<void(const std::string& name, const failure& why)>;

    /** @param executor    Runs the children, unless spawn() names another.
        @param on_failure  The end of the owner: called once, for the first child that fails, on the child's executor.
                           The child counts as running until the call returns, so the owner exists. It must not block.
                           Its exception is logged. */
    explicit task_group(boost::asio::any_io_executor executor, logger log = {}, failure_handler on_failure = {});
    ~task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    /** Starts a child on its executor, never inside the call. `where` must run one handler of the child at a time (a
        strand, or a context with one thread), because that is what makes cancelling it safe.

        A child fails with a failure other than cond::cancelled, with an exception, or when it is destroyed before its
        end, as Asio does for lack of memory. The first failure is kept for first_failure() and passed to the owner;
        without an owner's handler each one is logged as an error. A child that is destroyed with its execution context
        counts as ended.
        @return false when the group is stopping or the context has ended (the awaitable is dropped unstarted). */
    bool spawn(std::string name, boost::asio::awaitable<result<>> child);
    /// The same on the executor `where`. Also returns false when `where` is empty.
    bool spawn(std::string name, boost::asio::any_io_executor where, boost::asio::awaitable<result<>> child);

    /// Asks every child to stop by terminal cancellation on the child's executor. Idempotent; returns at once.
    void stop();

    /** Completes when no child runs any more; does not stop the children.

        Must not be awaited by a child.
        @par Cancellation  the wait ends with cond::cancelled; the children continue. */
    [[nodiscard]] boost::asio::awaitable<result<>> join();

    /** Stops the children, and completes when none runs any more, whatever fails on the way.

        For a group that is a local variable of a coroutine: make it before the first child is spawned, and await it
        last, in a coroutine that finishes despite its cancellation. */
    [[nodiscard]] boost::asio::awaitable<void> stopped();

    /** Keeps `owner`, which may contain this group, alive until no child runs: for a group released without a join.
        The children may also end by being destroyed with their context. Releases `owner` at once when none runs. */
    void keep_until_ended(std::shared_ptr<void> owner);

    /// Children that have not ended.
    [[nodiscard]] std::size_t running() const;
    /// Names of the running children, for diagnostics.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The first failure of a child, if any.
    [[nodiscard]] result<> first_failure() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
