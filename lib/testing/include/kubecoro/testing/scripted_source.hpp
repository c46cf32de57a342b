#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/testing/objects.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::testing {

/** The server's end of one scripted watch. Tests send events through it, before or after the watch is opened.

    A handle; copies share the watch. Thread safe. */
class scripted_watch
{
public:
    scripted_watch();

    /// Sends one batch, which one next() returns.
    const scripted_watch& send(std::vector<watch_event> batch) const;
    /// Sends one event.
    const scripted_watch& send(watch_event event) const;
    /// Delays everything sent later by `d`.
    const scripted_watch& pause(duration d) const;
    /// Ends the watch cleanly, after everything sent before.
    void end() const;
    /// The same, as the client itself ends a watch when newer certificates replace those of its connection.
    void end_early() const;
    /// Breaks the watch off, after everything sent before.
    void fail(failure f) const;

    /// True once the watch has been accepted.
    [[nodiscard]] bool opened() const;
    /// True once the client has destroyed the stream or received its end.
    [[nodiscard]] bool closed() const;
    /// Items not delivered yet: batches, pauses and the end.
    [[nodiscard]] std::size_t pending() const;
    /// The options it was opened with.
    [[nodiscard]] watch_options options() const;

private:
    friend class scripted_source;
    struct state;
    class stream;
    std::shared_ptr<state> state_;
};

/** A list_watch_source that answers from a script and records its calls.

    Lists and watches are each answered in the order in which the test announced their answers. A call without an
    announced answer is counted in unexpected() and waits forever, so that a client does not spin. Thread safe. */
class scripted_source final : public list_watch_source
{
public:
    /// One call of a scripted source.
    struct call
    {
        /// Whether it was a watch.
        bool is_watch = false;
        /// For list: its options.
        list_options list = {};
        /// For watch: its options.
        watch_options watch = {};
        /// When it was made.
        time_point at = {};
    };

    /// @param c  For pauses and the times of calls.
    explicit scripted_source(std::shared_ptr<kubecoro::time_source> c, std::string description = "scripted objects");
    ~scripted_source() override;

    /// The next list is answered with this page, after `delay`.
    void on_list(list_page page, duration delay = {});
    /// The next list fails with `f`, after `delay`.
    void on_list(failure f, duration delay = {});
    /// The next list gets no answer until it is cancelled.
    void on_list_hang();
    /// The next watch is accepted after `delay`; send its events through the returned handle.
    scripted_watch on_watch(duration delay = {});
    /// The next watch is refused with `f`, after `delay`.
    void on_watch(failure f, duration delay = {});
    /// The next watch is neither accepted nor refused until it is cancelled.
    void on_watch_hang();

    /// Makes streams_lists() return true: reflectors constructed afterwards request watches with initial events.
    void allow_streamed_lists();

    /// Every call so far, in order.
    [[nodiscard]] std::vector<call> calls() const;
    /// Number of lists that were asked for.
    [[nodiscard]] std::size_t lists() const;
    /// Number of watches that were asked for.
    [[nodiscard]] std::size_t watches() const;
    /// Options of the n-th list or watch, counted from 0. Throws std::out_of_range.
    [[nodiscard]] list_options list_call(std::size_t n) const;
    /// Options of the n-th watch, counted from 0. Throws std::out_of_range.
    [[nodiscard]] watch_options watch_call(std::size_t n) const;
    /// Number of calls without an announced answer.
    [[nodiscard]] std::size_t unexpected() const;
    /// Number of announced answers not used yet.
    [[nodiscard]] std::size_t unused() const;
    /// Number of calls that wait for their answer.
    [[nodiscard]] std::size_t in_flight() const;

    boost::asio::awaitable<result<list_page>> list(list_options options) override;
    boost::asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options options) override;
    bool streams_lists() const noexcept override;
    std::string describe() const override;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/** A source_provider of scripted sources, one for each resource and scope. A source is created on first use, either by
    the test that writes the script or by the informer that opens it. Thread safe. */
class scripted_provider final : public source_provider
{
public:
    /// @param executor  Returned by executor(); may end before the provider.
    /// @param c         The clock of the sources, and of factories that set none. Not null.
    scripted_provider(boost::asio::any_io_executor executor, std::shared_ptr<kubecoro::time_source> c);
    ~scripted_provider() override;

    /// The source of one resource and scope; made when it is asked for first.
    [[nodiscard]] std::shared_ptr<scripted_source> source(const resource_type& resource,
                                                          const source_scope& scope = {});
    /// Number of calls of open().
    [[nodiscard]] std::size_t opened() const;

    [[nodiscard]] std::shared_ptr<list_watch_source> open(const resource_type& resource,
                                                          const source_scope& scope) override;
    [[nodiscard]] boost::asio::any_io_executor executor() const override;
    /// Contains the clock passed to the constructor.
    [[nodiscard]] instruments defaults() const override;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::testing
