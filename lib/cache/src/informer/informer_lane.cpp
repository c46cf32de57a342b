#include "informer/informer_lane.hpp"

#include "informer/lane_source.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/asio/post.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {

informer_lane::informer_lane(const informer_settings& s, std::size_t scope, std::string ns, std::string not_before,
                             decode_strand decoder, delta_fifo fifo, std::shared_ptr<version_board> versions,
                             std::shared_ptr<const known_objects> known, reporter report)
    : settings_(s),
      scope_(scope),
      ns_(std::move(ns)),
      decoder_(std::move(decoder)),
      fifo_(std::move(fifo)),
      versions_(std::move(versions)),
      source_(open_source(s, ns_, decoder_.encoding, std::move(known))),
      description_(source_->describe()),
      report_(std::move(report)),
      trace_(s.log, "informer", s.label),
      reflector_(source_,
                 reflector_core(*s.options.policy,
                                {.kind = s.resource.kind,
                                 .api_version = s.resource.api_version(),
                                 .ns = ns_,
                                 .not_before = std::move(not_before)},
                                s.seed + 2 * scope,
                                may_stream_lists(*source_, *s.options.policy) ? s.ability : nullptr),
                 *s.options.policy, s.time, s.relists, *this)
{
}

asio::awaitable<result<>> informer_lane::drive(result<>& outcome)
{
    if (const auto& share = settings_.options.share; share && share->gains() == 0) reflector_.want_none();
    outcome = co_await catch_failure(reflector_.run());
    co_return result<>{};
}

asio::awaitable<result<>> informer_lane::run(std::shared_ptr<informer_lane> self)
{
    KUBECORO_EXPECT(runs_on(self->strand()));
    result<> outcome;
    co_await race(self->drive(outcome), self->leave_.wait());
    co_return outcome; // the group reports a reflector that ends without cancellation
}

void informer_lane::retry_now(const std::shared_ptr<informer_lane>& self)
{
    if (const auto strand = self->strand().get()) asio::post(strand, [self] { self->reflector_.retry_now(); });
}

void informer_lane::list_again(const std::shared_ptr<informer_lane>& self)
{
    if (const auto strand = self->strand().get()) asio::post(strand, [self] { self->reflector_.list_again(); });
}

informer_lane::status informer_lane::current() const
{
    std::lock_guard lock(mutex_);
    return status_;
}

void informer_lane::set_version(const std::string& version)
{
    std::lock_guard lock(mutex_);
    status_.version = version;
}

void informer_lane::note_heard()
{
    const auto now = settings_.time->now();
    std::lock_guard lock(mutex_);
    status_.heard = now;
}

// ---- the reflector's sink

void informer_lane::replace(std::vector<object> items, std::string resource_version,
                            std::vector<left_out_object> left_out)
{
    KUBECORO_EXPECT(runs_on(strand()));
    if (trace_.on())
        for (const auto& o : items) trace_.pass("pushed", o);
    pushed_gains_ = listed_gains_;
    fifo_.replace(scope_, std::move(items), std::move(resource_version), std::move(left_out));
    ++pushed_lists_;
    note_heard();
}

void informer_lane::apply(std::vector<delta> changes, std::string resource_version)
{
    KUBECORO_EXPECT(runs_on(strand()));
    note_heard();
    // A bookmark, or events of objects that were passed over: if the store has all that came before, the informer's strand
    // need not wake up for a version alone. A lane that leaves may have lost what it has pushed.
    if (changes.empty() && fifo_.size() == 0 && !leave_.settled()) {
        set_version(resource_version);
        return versions_->reach(ns_, gate, resource_version);
    }
    if (trace_.on())
        for (const auto& c : changes) trace_.pass("pushed", c.obj);
    fifo_.push(scope_, std::move(changes), std::move(resource_version));
}

void informer_lane::vanished() { fifo_.vanish(scope_); }
bool informer_lane::has_room() const { return fifo_.has_room(scope_); }
asio::awaitable<result<>> informer_lane::room() { return fifo_.room(scope_); }
void informer_lane::report(reflector_core::incident what)
{
    KUBECORO_EXPECT(runs_on(strand()));
    report_(scope_, std::move(what), pushed_lists_);
}

void informer_lane::progress(const reflector_core& core)
{
    KUBECORO_EXPECT(runs_on(strand()));
    log_change(core);
    const bool begins_list = core.stats().lists_total() != status_.stats.lists_total();
    // A list for none shows none of the keys that may have come meanwhile.
    if (begins_list && settings_.options.share)
        listed_gains_ = core.lists_none() ? 0 : settings_.options.share->gains();
    std::lock_guard lock(mutex_);
    status_.state = core.state();
    status_.stats = core.stats();
}

// State and counters are changed on this strand only, so that they can be read here without the lock.
void informer_lane::log_change(const reflector_core& core) const
{
    const bool was_parked = status_.state == informer_state::parked;
    const bool is_parked = core.state() == informer_state::parked;
    if (is_parked && !was_parked)
        settings_.log.warning("the server no longer serves the resource: parked",
                              {{"informer", settings_.label}, {"source", describe()}});
    if (was_parked && !is_parked && core.state() != informer_state::stopped)
        settings_.log.info("the resource is back", {{"informer", settings_.label}, {"source", describe()}});
    const auto& before = status_.stats;
    const auto& now = core.stats();
    if (now.idle_ends != before.idle_ends) log_silence("idle_timeout");
    if (now.overdue_ends != before.overdue_ends) log_silence("overdue");
    if (is_parked || now.lists_total() == before.lists_total()) return;
    for (std::size_t i = 0; i < relist_reasons; ++i)
        if (now.relists[i] != before.relists[i])
            settings_.log.info("listing again", {{"informer", settings_.label},
                                                 {"source", describe()},
                                                 {"reason", to_string(static_cast<relist_reason>(i))}});
}

void informer_lane::log_silence(std::string_view limit) const
{
    settings_.log.info("a silent watch was ended, and is resumed",
                       {{"informer", settings_.label}, {"source", describe()}, {"limit", limit}});
}

} // namespace kubecoro::detail
