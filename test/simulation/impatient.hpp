#pragma once
// Somebody who begins every kind of wait the library offers, and is cancelled anywhere in it.

#include "network.hpp"
#include "truth.hpp"

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

/** Each wait gets one cancellation, terminal, partial or total, after a random number of handlers from its first moment on,
    wherever it stands then; or ends by itself before that.

    Checks: what was cancelled has ended as soon as nothing is ready to run; a wait ends with what it waited for, with why
    that cannot be, or with cond::cancelled when somebody cancelled it or the end has come; no key of its queue is lost. That
    nobody else notices is what the rest of the world checks. Seeded by itself. Must outlive everything the runner runs. */
class impatient
{
public:
    impatient(std::vector<shared_informer> informers, informer_factory& factory, const network& way,
              testing::runner& runner, journal& notes, std::uint64_t seed);
    impatient(const impatient&) = delete;
    impatient& operator=(const impatient&) = delete;

    /// Begins a wait.
    void one();
    /// To be called when nothing is ready to run.
    void check_idle();
    /// The informers are about to stop.
    void expect_end() noexcept { end_expected_ = true; }
    /// The last moment: cancels what still waits.
    void end();
    [[nodiscard]] std::uint64_t waits() const noexcept { return begun_; }

private:
    struct attempt
    {
        std::string name;
        testing::task<void> task;
        /// When it is cancelled, in handlers of the runner.
        std::size_t cancelled_at;
    };
    using waiting_for = boost::asio::awaitable<result<>>;

    void begin(std::string name, waiting_for body);
    [[nodiscard]] waiting_for any(std::string& name);
    waiting_for handler_life(shared_informer informer);
    waiting_for pop(shared_informer informer);
    waiting_for for_each(shared_informer informer);
    waiting_for for_object(shared_informer informer, object_key key, duration limit);
    waiting_for for_any(shared_informer informer, duration limit);
    waiting_for after(shared_informer informer, object_key key, std::string version);
    waiting_for informer_life();
    waiting_for take_key();
    waiting_for take_keys();
    waiting_for drain();
    waiting_for get(object_key key);
    waiting_for list(resource_type resource);
    waiting_for wait_for_key();
    /// Two wait, a key comes, and one is cancelled at that moment: the other gets it.
    void race_for_key();
    void check_queue();
    void broken(const std::string& what) const { notes_->broken("impatient", what); }

    std::vector<shared_informer> informers_;
    informer_factory* factory_;
    client remote_;
    testing::runner* runner_;
    journal* notes_;
    random_source random_;
    std::deque<attempt> attempts_;
    workqueue<int> queue_;
    std::set<int> queued_;
    std::uint64_t begun_ = 0;
    bool end_expected_ = false;
};

} // namespace kubecoro::simulation
