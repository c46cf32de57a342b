#pragma once
// Begins every kind of wait of the library and cancels it at a random step.

#include "network.hpp"
#include "server_history.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/workqueue.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::simulation {

/** Each wait is cancelled once, terminally, partially or totally, after a random number of handlers from its start, or
    ends by itself before.

    Checks: a cancelled wait has ended as soon as nothing is ready to run; a wait ends with its result, with the reason
    why that is impossible, or with cond::cancelled after a cancellation or the stop; no key of its queue is lost. The
    rest of the world checks that other users are unaffected. Has its own seed. Must outlive everything the runner
    runs. */
class cancelled_waits
{
public:
    cancelled_waits(std::vector<shared_informer<object>> informers, informer_factory& factory, const network& way,
                    testing::runner& runner, journal& notes, std::uint64_t seed);
    cancelled_waits(const cancelled_waits&) = delete;
    cancelled_waits& operator=(const cancelled_waits&) = delete;

    /// Begins a wait.
    void one();
    /// Requires that nothing is ready to run.
    void check_idle();
    /// The informers are about to stop.
    void expect_end() noexcept { end_expected_ = true; }
    /// At the very end: cancels the remaining waits.
    void end();
    [[nodiscard]] std::uint64_t waits() const noexcept { return begun_; }

private:
    struct attempt
    {
        std::string name;
        testing::task<void> task;
        /// When it is cancelled, as a count of the runner's handlers.
        std::size_t cancelled_at;
    };
    using waiting_for = boost::asio::awaitable<result<>>;

    void begin(std::string name, waiting_for body);
    [[nodiscard]] waiting_for any(std::string& name);
    waiting_for handler_life(shared_informer<object> informer);
    waiting_for pop(shared_informer<object> informer);
    waiting_for for_each(shared_informer<object> informer);
    waiting_for for_object(shared_informer<object> informer, object_key key, duration limit);
    waiting_for for_any(shared_informer<object> informer, duration limit);
    waiting_for after(shared_informer<object> informer, object_key key, std::string version);
    waiting_for informer_life();
    waiting_for take_key();
    waiting_for take_keys();
    waiting_for drain();
    waiting_for get(object_key key);
    waiting_for list(resource_type resource);
    waiting_for wait_for_key();
    /// Two coroutines wait, a key arrives, and one is cancelled at that moment: the other must get the key.
    void race_for_key();
    void check_queue();
    void broken(const std::string& what) const { notes_->broken("impatient", what); }

    std::vector<shared_informer<object>> informers_;
    informer_factory* factory_;
    client remote_;
    testing::runner* runner_;
    journal* notes_;
    detail::random_source random_;
    std::deque<attempt> attempts_;
    workqueue<int> queue_;
    std::set<int> queued_;
    std::uint64_t begun_ = 0;
    bool end_expected_ = false;
};

} // namespace kubecoro::simulation
