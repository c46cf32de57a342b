#pragma once
// A user that waits for one object to exist, to be gone, or to have a label.

#include "journal.hpp"
#include "server_history.hpp"

#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>

namespace kubecoro::simulation {

/** Begins on construction. Must outlive everything the runner runs.

    Checks: the state that ended the wait was real and satisfies the condition; a timeout is kept to the tick; at a
    quiet point no wait remains whose condition holds. */
class waiting
{
public:
    waiting(std::string name, shared_informer<object> informer, scope covered, const server_history& real,
            testing::runner& runner, journal& notes, std::uint64_t seed);
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;

    /// Cancels it.
    void give_up();
    /// The informer is about to stop.
    void expect_end() noexcept { end_expected_ = true; }
    [[nodiscard]] bool done() const { return task_.done(); }
    /// Requires that `real` has caught up.
    void check_reality();
    /// Requires that all events have arrived.
    void check_settled() const;

private:
    enum class wish
    {
        there,
        gone,
        in_the_shop
    };

    boost::asio::awaitable<result<>> run(shared_informer<object> informer);
    [[nodiscard]] bool is_met(const object& o) const;
    void broken(const std::string& what) const { notes_->broken(name_, what); }

    std::string name_;
    scope covered_;
    const server_history* real_;
    testing::runner* runner_;
    journal* notes_;
    object_key key_;
    wish wish_;
    duration limit_{0};
    object got_;
    bool given_up_ = false;
    bool end_expected_ = false;
    testing::task<void> task_;
};

} // namespace kubecoro::simulation
