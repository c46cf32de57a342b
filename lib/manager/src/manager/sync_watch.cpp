#include "manager/sync_watch.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Until an informer that has failed is asked again; it retries by itself.
constexpr auto ask_again = std::chrono::seconds{2};

/// A list of a kind is not found when the server has no such kind.
failure with_next_step(const failure& why)
{
    if (why != cond::not_found) return why;
    return why.because(
        "the server does not know this kind: apply its definition (kubectl apply -f), or let the program do it by "
        "install_crds()");
}

/// Informers named in one line.
constexpr std::size_t most_unsynced_named = 10;

} // namespace

sync_watch::sync_watch(kept_executor executor, std::shared_ptr<time_source> time, logger log,
                       std::function<void()> all_synced, task_group::failure_handler on_failure)
    : executor_(std::move(executor)),
      time_(std::move(time)),
      log_(std::move(log)),
      all_synced_(std::move(all_synced)),
      following_(executor_.get(), log_, std::move(on_failure))
{
}

void sync_watch::follow(const shared_informer<object>& informer)
{
    place at;
    {
        std::lock_guard lock(mutex_);
        const auto same = [&informer](const followed& f) { return f.informer == informer; };
        if (informer.synced() || std::any_of(missing_.begin(), missing_.end(), same)) return;
        at = missing_.insert(missing_.end(), {informer});
    }
    following_.spawn("sync of " + informer.resource().display_name(), make_kept_strand(executor_).get(),
                     await(*this, at, informer));
}

asio::awaitable<result<>> sync_watch::await(sync_watch& self, place at, shared_informer<object> informer)
{
    for (;;) {
        const auto synced = co_await catch_failure(informer.has_synced());
        if (synced || synced.error() == cond::cancelled) {
            (void)co_await stop_requested(); // throws then: the informer was not released
            self.leave(at, synced.has_value());
            co_return result<>{};
        }
        self.note_trouble(at, synced.error());
        const auto slept = co_await sleep_for(*self.time_, ask_again);
        if (!slept) co_return result<>{};
    }
}

void sync_watch::leave(place at, bool synced)
{
    std::list<followed> gone; // destroyed without the mutex: it may be the last handle
    bool last = false;
    {
        std::lock_guard lock(mutex_);
        gone.splice(gone.end(), missing_, at);
        if (synced) ++synced_;
        last = missing_.empty();
    }
    if (last) all_synced_();
}

void sync_watch::note_trouble(place at, const failure& why)
{
    // The informer itself has logged it.
    std::lock_guard lock(mutex_);
    at->trouble = why;
}

std::string sync_watch::list_missing(std::optional<failure>* first) const
{
    std::string text;
    std::size_t named = 0, more = 0;
    for (const auto& f : missing_) {
        if (++named > most_unsynced_named) {
            ++more;
            continue;
        }
        const auto now = f.informer.stats();
        const auto& why = f.trouble ? f.trouble : now.reflector.last_failure;
        if (first && !*first && why) *first = why;
        text += (text.empty() ? "" : "; ") + f.informer.resource().display_name() + ": " +
                (why ? with_next_step(*why).describe() : std::string(to_string(now.state)));
    }
    if (more != 0) text += "; and " + std::to_string(more) + " more";
    return text;
}

void sync_watch::report() const
{
    std::string text;
    std::size_t synced = 0, all = 0;
    {
        std::lock_guard lock(mutex_);
        text = list_missing();
        synced = synced_;
        all = synced_ + missing_.size();
    }
    if (text.empty()) return;
    log_.info("waiting for informers", {{"synced", synced}, {"of", all}, {"missing", text}});
}

failure sync_watch::too_late(duration limit) const
{
    std::lock_guard lock(mutex_);
    std::optional<failure> first;
    const auto text = list_missing(&first);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
    const auto message = "informers did not sync within " + std::to_string(seconds) + " s: " + text;
    return first ? failure(first->condition(), message) : failure(cond::timed_out, message);
}

bool sync_watch::all_synced() const
{
    std::lock_guard lock(mutex_);
    return missing_.empty();
}

} // namespace kubecoro::detail
