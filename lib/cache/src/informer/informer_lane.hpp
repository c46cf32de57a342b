#pragma once

#include "informer/informer_settings.hpp"
#include "listener/event_trace.hpp"
#include "listener/news_core.hpp"
#include "reflector/reflector_driver.hpp"
#include "store/sync_gate.hpp"
#include "store/version_board.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/cache/reflector_stats.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// A strand that decodes, and the encoding that its decoders write. Lanes share one if there are many.
struct decode_strand
{
    kept_executor executor;
    std::shared_ptr<object_encoding> encoding;
};

/** One namespace of an informer, or all: a reflector on a strand of its own that pushes into the informer's FIFO.

    The sink's functions are called on the lane's strand. */
class informer_lane final : public delta_sink
{
public:
    /// The reflector's side of a lane, for any thread.
    struct status
    {
        informer_state state = informer_state::created;
        reflector_stats stats = {};
        /// The version the store has reached.
        std::string version = {};
        /// Time of the last list, event or bookmark.
        std::optional<time_point> heard = {};
    };
    /// Called on the lane's strand for each incident.
    ///
    /// @param lists  Number of lists that the lane had pushed by then.
    using reporter = std::function<void(std::size_t scope, reflector_core::incident what, std::uint64_t lists)>;

    /// @param scope       Its number in the FIFO; its jitter is derived from it and the seed.
    /// @param not_before  See reflector_expectation.
    informer_lane(const informer_settings& s, std::size_t scope, std::string ns, std::string not_before,
                  decode_strand decoder, delta_fifo fifo, std::shared_ptr<version_board> versions,
                  std::shared_ptr<const known_objects> known, reporter report);
    informer_lane(const informer_lane&) = delete;
    informer_lane& operator=(const informer_lane&) = delete;
    ~informer_lane() override { gone.settle({}); }

    /// Runs the reflector until cancelled or until leave(). Await on the lane's strand.
    [[nodiscard]] static boost::asio::awaitable<result<>> run(std::shared_ptr<informer_lane> self);
    /// Ends run(). Any thread.
    void leave()
    {
        request_stop();
        leave_.settle({});
    }
    /// Called before run() is cancelled. Any thread.
    void request_stop() noexcept { reflector_.request_stop(); }
    /// Ends the wait between two attempts, if there is one. Any thread.
    static void retry_now(const std::shared_ptr<informer_lane>& self);
    /// Lists once more, since the share has more objects. Any thread.
    static void list_again(const std::shared_ptr<informer_lane>& self);

    // Any thread.
    [[nodiscard]] std::size_t scope() const noexcept { return scope_; }
    [[nodiscard]] const std::string& ns() const noexcept { return ns_; }
    [[nodiscard]] const kept_executor& strand() const noexcept { return decoder_.executor; }
    /// The source's description at the start.
    [[nodiscard]] const std::string& describe() const noexcept { return description_; }
    [[nodiscard]] status current() const;
    /// The store has the lane's objects of the share as it was after this many gains.
    [[nodiscard]] std::uint64_t shown_gains() const noexcept { return shown_gains_; }
    /// Opens when the first list is stored.
    const sync_gate gate;
    /// Settled when the lane is destroyed.
    const latch gone;

    /// The store has reached this version; empty = it holds nothing of the lane. Any thread.
    void set_version(const std::string& version);

    // Called on the informer's strand.
    /// The last list that was pushed is in the store.
    void note_stored() noexcept
    {
        KUBECORO_EXPECT(runs_on(settings_.strand));
        ++stored_lists;
        shown_gains_ = pushed_gains_.load();
    }
    /// Number of lists in the store: a report from before the last one is over.
    std::uint64_t stored_lists = 0;
    /// The failures already logged.
    news_core told;
    /// Why it cannot list at all.
    std::optional<failure> blocked;

    // delta_sink
    void replace(std::vector<object> items, std::string resource_version,
                 std::vector<left_out_object> left_out) override;
    void apply(std::vector<delta> changes, std::string resource_version) override;
    void vanished() override;
    [[nodiscard]] bool has_room() const override;
    [[nodiscard]] boost::asio::awaitable<result<>> room() override;
    void report(reflector_core::incident what) override;
    void progress(const reflector_core& core) override;

private:
    [[nodiscard]] boost::asio::awaitable<result<>> drive(result<>& outcome);
    void log_change(const reflector_core& core) const;
    void log_silence(std::string_view limit) const;
    void note_heard();

    const informer_settings& settings_;
    const std::size_t scope_;
    const std::string ns_;
    const decode_strand decoder_;
    delta_fifo fifo_;
    const std::shared_ptr<version_board> versions_;
    const std::shared_ptr<list_watch_source> source_;
    const std::string description_;
    const reporter report_;
    const event_trace trace_;
    reflector_driver reflector_;
    latch leave_;
    /// Used on the lane's strand only.
    std::uint64_t pushed_lists_ = 0;
    /// The gains of the share when the last list began, and when the last one that was pushed had begun: one list at a time waits.
    std::uint64_t listed_gains_ = 0;
    std::atomic<std::uint64_t> pushed_gains_{0};
    std::atomic<std::uint64_t> shown_gains_{0};
    mutable std::mutex mutex_;
    /// Guarded by mutex_.
    status status_;
};

/// Adds `one` to `sum`.
void add(reflector_stats& sum, const reflector_stats& one);

} // namespace kubecoro::detail
