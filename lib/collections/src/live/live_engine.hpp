#pragma once

#include "graph/graph_core.hpp"
#include "live/live_table.hpp"

#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/collections/live_queries.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// Publishes stats as metrics: about nine series for each collection. Not thread safe.
class live_meter
{
public:
    explicit live_meter(std::shared_ptr<metrics> sink) : sink_(sink ? std::move(sink) : null_metrics()) {}

    void publish(const live_queries_stats& s);

private:
    struct series
    {
        std::shared_ptr<metrics::gauge> elements, waiting, stale, synced;
        std::shared_ptr<metrics::counter> computed, failed, equal, took;
        collection_stats counted = {};
    };
    [[nodiscard]] series make(const std::string& collection) const;

    std::shared_ptr<metrics> sink_;
    std::map<std::string, series> of_;
    std::shared_ptr<metrics::gauge> edges_;
};

/** The implementation of live_queries: one coroutine applies the changes of inputs, computes, and shows the outcome, in turns of the
    strand; one for each input waits for its changes. */
class live_engine final : public live_reader, public std::enable_shared_from_this<live_engine>
{
public:
    live_engine(const boost::asio::any_io_executor& executor, live_queries_options options);
    ~live_engine() override;

    // ---- any thread

    /// Call before any other function.
    void start();
    [[nodiscard]] std::shared_ptr<live_table> add_rule(live_rule r);
    [[nodiscard]] std::shared_ptr<live_table> add_input(const shared_informer<object>& informer);
    [[nodiscard]] std::string add_hidden_index(const live_source& to, item_index f);
    /// @param drops  At the end, what waits is dropped.
    void join(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q, bool drops);
    void run_handler(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q,
                     std::function<handler_call(live_change)> f, const boost::asio::any_io_executor& executor);
    void request_stop();
    [[nodiscard]] static boost::asio::awaitable<result<>> stop(std::shared_ptr<live_engine> self);
    static void abandon(std::shared_ptr<live_engine> self);
    [[nodiscard]] std::vector<std::shared_ptr<live_table>> tables() const;
    [[nodiscard]] live_queries_stats stats() const;
    [[nodiscard]] const std::shared_ptr<shown_board>& board() const noexcept { return board_; }
    [[nodiscard]] const std::shared_ptr<time_source>& time() const noexcept { return options_.time; }

    // ---- the strand, from within a computation

    live_item by_key(const live_source& of, std::string_view key) override;
    std::vector<live_item> by_index(const live_source& of, std::string_view index, std::string_view value) override;
    std::vector<live_item> by_selector(const live_source& of, const label_selector& selector) override;
    std::vector<live_item> all(const live_source& of) override;

private:
    struct end_of_context;

    [[nodiscard]] std::shared_ptr<live_table> table_of(const live_source& s);
    [[nodiscard]] std::shared_ptr<live_table> make_table(std::string name, item_kind kind, bool is_input);
    /// Does something when nothing is being computed.
    void at_rest(std::function<void()> f);
    void enter(const std::shared_ptr<live_table>& t);
    void end();
    void end_by(const std::string& task, const failure& why);

    static boost::asio::awaitable<result<>> work(std::shared_ptr<live_engine> self);
    static boost::asio::awaitable<result<>> feed(std::shared_ptr<live_engine> self, std::shared_ptr<live_table> t);
    static boost::asio::awaitable<result<>> handle(std::shared_ptr<live_engine> self, std::shared_ptr<live_table> t,
                                                   std::shared_ptr<change_queue> q,
                                                   std::function<handler_call(live_change)> f);
    static boost::asio::awaitable<result<>> measure(std::shared_ptr<live_engine> self);
    [[nodiscard]] bool has_work();
    [[nodiscard]] std::deque<std::function<void()>> take_commands();
    /// Applies some events of an input. Returns whether more are left.
    [[nodiscard]] bool apply_some(live_table& t, std::size_t& next);
    void show();
    [[nodiscard]] bool note(live_table& t);
    void report();

    live_queries_options options_;
    const logger log_;
    const kept_executor executor_;
    const kept_executor strand_;
    const std::shared_ptr<shown_board> board_ = std::make_shared<shown_board>();
    look look_;
    context_bound<end_of_context> context_end_;

    mutable std::mutex mutex_;
    // Guarded by mutex_:
    std::deque<std::function<void()>> commands_;
    std::vector<std::shared_ptr<live_table>> tables_;
    std::map<const void*, std::shared_ptr<live_table>> inputs_;
    std::vector<std::pair<std::weak_ptr<change_queue>, bool>> all_queues_;
    std::uint32_t next_number_ = 0;
    bool over_ = false;

    std::atomic<std::uint64_t> hidden_indexes_ = 0;
    // Guarded by the board:
    std::size_t edges_ = 0;
    std::size_t edge_bytes_ = 0;

    const wake_signal wake_;
    // Strand:
    graph_core graph_;
    /// By number.
    std::vector<std::shared_ptr<live_table>> in_graph_;
    /// Inputs with changes that are not applied.
    std::deque<std::shared_ptr<live_table>> ready_;
    line_limit failures_shown_;
    live_meter meter_;

    // Declared last, so that a task still running is detected before anything it uses is destroyed.
    task_group handlers_;
    task_group work_;
};

} // namespace kubecoro::detail
