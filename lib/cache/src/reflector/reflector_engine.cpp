#include "reflector/reflector_engine.hpp"

#include "reflector/tell_user.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/owner_end.hpp>

#include <boost/asio/post.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

std::shared_ptr<watch_list_ability> ability_of(const reflector_setup& s)
{
    const bool streams = s.delivery == list_delivery::whole && may_stream_lists(*s.source, s.policy);
    return streams ? std::make_shared<watch_list_ability>() : nullptr;
}

} // namespace

reflector_engine::reflector_engine(reflector_setup s)
    : setup_(std::move(s)),
      strand_(make_kept_strand(setup_.executor)),
      tasks_(strand_.get(), setup_.log, [this](const auto& task, const auto& why) { end_by(task, why); })
{
    if (setup_.refused) {
        // A loop over a watcher does not show the reason of its end.
        setup_.log.error("a reflector cannot run", {{"failure", setup_.refused->describe()}});
        return;
    }
    driver_.emplace(setup_.source,
                    reflector_core(setup_.policy, setup_.expected, setup_.seed, ability_of(setup_), setup_.delivery),
                    setup_.policy, setup_.time, setup_.relists, *this);
}

result<> reflector_engine::start()
{
    if (setup_.refused) return *setup_.refused;
    {
        std::lock_guard lock(mutex_);
        if (stopping_) return failure(cond::cancelled, "the reflector was stopped");
        if (std::exchange(started_, true)) return {};
    }
    if (!tasks_.spawn("reflector of " + setup_.source->describe(), driver_->run()))
        return failure(cond::cancelled, "the reflector's context has ended");
    return {};
}

void reflector_engine::request_stop()
{
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    if (driver_) driver_->request_stop();
    tasks_.stop();
}

bool reflector_engine::stopping() const
{
    std::lock_guard lock(mutex_);
    return stopping_;
}

void reflector_engine::abandon(std::shared_ptr<reflector_engine> self)
{
    self->request_stop();
    auto& tasks = self->tasks_;
    tasks.keep_until_ended(std::move(self));
}

void reflector_engine::retry_now(const std::shared_ptr<reflector_engine>& self)
{
    const auto strand = self->strand_.get();
    if (!strand || !self->driver_) return;
    asio::post(strand, [self] { self->driver_->retry_now(); });
}

informer_state reflector_engine::state() const
{
    const bool runs = tasks_.running() != 0;
    std::lock_guard lock(mutex_);
    if (!started_) return stopping_ ? informer_state::stopped : informer_state::created;
    if (ended_by_) return informer_state::failed;
    return runs ? state_ : informer_state::stopped;
}

std::optional<failure> reflector_engine::ended_by() const
{
    std::lock_guard lock(mutex_);
    return ended_by_;
}

void reflector_engine::end_by(const std::string& task, const failure& why)
{
    const auto cause = why.because("the " + task + " has ended");
    {
        std::lock_guard lock(mutex_);
        ended_by_ = cause;
    }
    show_end(setup_.log, nullptr, "reflector", setup_.source->describe(), task, why);
    note_end();
    tell_user(setup_.on_failure, cause);
}

reflector_stats reflector_engine::stats() const
{
    std::lock_guard lock(mutex_);
    return stats_;
}

void reflector_engine::report(reflector_core::incident what)
{
    KUBECORO_EXPECT(runs_on(strand_));
    const bool news = told_.is_news(what.what, what.why, now());
    const auto level = !news ? log_level::debug : what.detour ? log_level::info : log_level::warning;
    setup_.log.write(level, what.what, {{"reflector", setup_.source->describe()}, {"failure", what.why.describe()}});
    if (what.detour || (what.skipped && !what.outdated)) return;
    tell_user(setup_.on_failure, what.why.because(std::string(what.what) + ": " + setup_.source->describe()));
}

void reflector_engine::progress(const reflector_core& core)
{
    KUBECORO_EXPECT(runs_on(strand_));
    std::lock_guard lock(mutex_);
    state_ = core.state();
    stats_ = core.stats();
}

} // namespace kubecoro::detail
