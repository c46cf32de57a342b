#pragma once
// One life of a controller, and the book it keeps: which run saw which version of which object.

#include "truth.hpp"

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

/// What a controller can watch.
struct field
{
    /// "uid@version" of every object.
    using states = std::map<object_key, std::string>;

    std::string name;
    shared_informer informer;
    /// As the server has them; none while the server does not know the resource.
    std::function<std::optional<states>()> real;
    /// Its objects may be written.
    bool writable = true;
};

/** Checks, of every run: no key twice at once, no more at once than there are workers, none after the request to stop,
    cancelled only for a reason, and after an own write none before the stores show it. When everything has settled: for
    each object the last run of each of its keys saw its last version, or its absence, and every run that was owed (by a
    failure, a wish, a trigger) has come. After the stop: nothing of it runs.

    Must outlive everything the runner runs. */
class term
{
public:
    /// @param settings  Name and time are added. A deadline of whole milliseconds would be met by runs that end by themselves.
    term(std::string name, controller_options settings, const std::vector<field>& fields, client writer,
         testing::runner& runner, journal& notes, std::uint64_t seed);
    term(const term&) = delete;
    term& operator=(const term&) = delete;

    /// Sources may be added and removed at any time.
    void add_source();
    void remove_source();
    void start();
    /// Somebody wants a run for some key.
    void trigger();
    /// From now on every run succeeds at once.
    void calm(bool yes) noexcept { calm_ = yes; }
    /// Begins to stop, as its owner does it; has ended when `over()`.
    void stop();
    /// Its owner goes without a word.
    void abandon();
    /// The owner loses patience after so many handlers, and goes on waiting later.
    void disturb(std::size_t handlers, boost::asio::cancellation_type how);
    /// To be called now and then.
    void go_on();
    /// To be called when nothing is ready to run: nothing that could run waits.
    void check_idle() const;

    [[nodiscard]] bool over() const noexcept { return over_ && active_ == 0; }
    /// Empty when everything has been reconciled, else what has not.
    [[nodiscard]] std::string unsettled() const;
    [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

private:
    struct write
    {
        std::string kind;
        object_key object;
        std::uint64_t version;
        time_point when;
        /// Sources that came later need not show it.
        std::size_t sources;
    };
    struct page
    {
        bool active = false;
        /// A run has to begin.
        bool asked_for = false;
        /// The same, then or later.
        std::optional<time_point> due = {};
        /// What is due may come until then: when exactly is the queue's.
        time_point retried_by = {};
        /// What the last run saw, by source and object.
        std::map<std::pair<std::size_t, object_key>, std::string> seen = {};
        std::optional<write> written = {};
    };
    struct source
    {
        const field* from;
        /// Its objects concern the next object's key as well.
        bool neighbours;
        event_source handle;
        bool removed = false;
        testing::task<void> leaving = {};
    };
    /// A run in progress; its end is the end of the coroutine, whatever ends that.
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
    [[nodiscard]] bool shows(const source& s, const write& w) const;
    [[nodiscard]] bool may_be_held(const page& p) const;
    void check_own_write(const object_key& key, page& p);
    void check_end(const result<>& outcome);
    /// A run has to begin after that time.
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
    const std::vector<field>* fields_;
    client writer_;
    testing::runner* runner_;
    journal* notes_;
    random_source random_;
    /// A deque: what waits for a removal refers to its source.
    std::deque<source> sources_;
    std::map<object_key, page> book_;
    std::optional<controller> subject_;
    testing::task<void> ready_;
    std::optional<testing::task<void>> ending_;
    /// Those that the first run waits for.
    std::size_t first_sources_ = 0;
    std::size_t active_ = 0;
    std::uint64_t runs_ = 0;
    std::optional<time_point> stop_asked_;
    /// request_stop() has returned.
    bool no_more_runs_ = false;
    /// Its owner waits for the end from the first moment on.
    bool waited_for_ = false;
    bool started_ = false;
    bool disturbed_ = false;
    bool calm_ = false;
    bool over_ = false;
};

} // namespace kubecoro::simulation
