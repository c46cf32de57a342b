#pragma once
// One life of a controller, and a record of which run saw which version of which object.

#include "server_history.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/asio/awaitable.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::simulation {

/// A resource that a controller can watch.
struct controlled_informer
{
    /// "uid@version" of every object.
    using states = std::map<object_key, std::string>;

    std::string name;
    shared_informer<object> informer;
    /// The server's states; none while the server does not know the resource.
    std::function<std::optional<states>()> real;
    /// Its objects may be written.
    bool writable = true;
};

/** Checks, of every run: no key is in two at once, no more runs than workers, none begins after the request to stop,
    none is cancelled without a reason, and none begins after an own write before the stores show it. When everything
    has settled: for each object the last run of each of its keys saw its last version, or its absence, and every due
    run (after a failure, a requeue, a trigger) has happened. After the stop: nothing of it runs.

    Must outlive everything the runner runs. */
class checked_controller
{
public:
    /// @param settings Name and time are added. The deadline must not be whole milliseconds: runs could end exactly at
    /// it.
    checked_controller(std::string name, controller_options settings, const std::vector<controlled_informer>& informers,
                       client writer, testing::runner& runner, journal& notes, std::uint64_t seed);
    checked_controller(const checked_controller&) = delete;
    checked_controller& operator=(const checked_controller&) = delete;

    /// Sources may be added and removed at any time.
    void add_source();
    void remove_source();
    void start();
    /// Triggers a run of a random key.
    void trigger();
    /// From now on every run succeeds at once.
    void calm(bool yes) noexcept { calm_ = yes; }
    /// Begins to stop, as its owner does it; complete when `over()`.
    void stop();
    /// The owner destroys it without a stop.
    void abandon();
    /// Cancels the owner's waits after this number of handlers; go_on() repeats them.
    void disturb(std::size_t handlers, boost::asio::cancellation_type how);
    /// Call repeatedly.
    void go_on();
    /// Requires that nothing is ready to run; checks that nothing runnable waits.
    void check_idle() const;

    [[nodiscard]] bool over() const noexcept { return over_ && active_ == 0; }
    /// Empty when everything has been reconciled, else the first thing missing.
    [[nodiscard]] std::string unsettled() const;
    [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

private:
    struct write
    {
        std::string kind;
        object_key object;
        std::uint64_t version;
        time_point when;
        /// The number of sources at that time. Later ones need not show the write.
        std::size_t sources;
    };
    struct page
    {
        bool active = false;
        /// A run has to begin.
        bool asked_for = false;
        /// A run has to begin at this time or later.
        std::optional<time_point> due = {};
        /// A due run may begin until then: the queue chooses the exact time.
        time_point retried_by = {};
        /// The states that the last run saw, by source and object.
        std::map<std::pair<std::size_t, object_key>, std::string> seen = {};
        std::optional<write> written = {};
    };
    struct source
    {
        const controlled_informer* from;
        /// Its objects map to the next object's key as well.
        bool neighbours;
        event_source handle;
        bool removed = false;
        testing::task<void> leaving = {};
    };
    /// A run in progress. It ends with the coroutine, however that ends.
    class visit;

    [[nodiscard]] enqueue map_of(bool neighbours);
    [[nodiscard]] boost::asio::awaitable<result<action>> begin(const object_key& key, reconcile_context& context);
    boost::asio::awaitable<result<action>> reconcile(std::unique_ptr<visit> here, object_key key,
                                                     reconcile_context& context);
    boost::asio::awaitable<result<>> pause(reconcile_context& context, duration d);
    boost::asio::awaitable<result<action>> change(object_key key, reconcile_context& context);
    boost::asio::awaitable<result<>> wait_for_ready();
    boost::asio::awaitable<result<>> wait_for_removal(source& s);
    boost::asio::awaitable<result<>> wait_for_end();

    void look(const object_key& key);
    [[nodiscard]] bool has_passed(const source& s, const write& w) const;
    [[nodiscard]] bool shows(const source& s, const write& w) const;
    [[nodiscard]] bool may_be_held(const page& p) const;
    void check_own_write(const object_key& key, page& p);
    void check_end(const result<>& outcome);
    /// Records that a run has to begin after that time.
    void owe(const object_key& key, duration after);
    [[nodiscard]] failure failed(const object_key& key, const reconcile_context& context, failure why);
    [[nodiscard]] std::string behind(std::size_t n) const;
    [[nodiscard]] time_point now() const { return runner_->clock().now(); }
    void broken(const std::string& what) const { notes_->broken(name_, what); }
    void note(const std::string& what) const { notes_->note(name_, what); }

    std::string name_;
    duration grace_;
    duration own_write_wait_;
    std::size_t workers_;
    bool may_give_up_;
    const std::vector<controlled_informer>* informers_;
    client writer_;
    testing::runner* runner_;
    journal* notes_;
    detail::random_source random_;
    /// A deque: waits for a removal refer to their source.
    std::deque<source> sources_;
    std::map<object_key, page> book_;
    std::optional<controller<object>> subject_;
    testing::task<void> ready_;
    std::optional<testing::task<void>> ending_;
    /// The number of sources that the first run waits for.
    std::size_t first_sources_ = 0;
    std::size_t active_ = 0;
    std::uint64_t runs_ = 0;
    std::optional<time_point> stop_asked_;
    /// request_stop() has returned.
    bool no_more_runs_ = false;
    /// Its owner waits for the end from the start on.
    bool waited_for_ = false;
    bool started_ = false;
    bool disturbed_ = false;
    bool calm_ = false;
    bool over_ = false;
};

} // namespace kubecoro::simulation
