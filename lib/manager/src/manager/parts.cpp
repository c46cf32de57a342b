// The parts of a manager: what is declared, started and ended.
#include "manager/manager_engine.hpp"

#include "manager/cluster_set.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/detail/wait_for_news.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

part_stage stage_of(const runnable_options& o)
{
    if (o.needs_leadership) return part_stage::leading;
    return o.needs_informers ? part_stage::synced : part_stage::first;
}

void say_late(const logger& log, const managed_part& part)
{
    log.warning("the manager stops: a part that was added does not run", {{"part", part.name}});
}

} // namespace

/// Reports the end of a part when its coroutine ends, also by destruction, once it was started.
class manager_engine::part_mark
{
public:
    part_mark(manager_engine& engine, std::shared_ptr<managed_part> part)
        : engine_(engine), part_(std::move(part)), attempt_(part_->begin())
    {
    }
    part_mark(const part_mark&) = delete;
    part_mark& operator=(const part_mark&) = delete;
    ~part_mark()
    {
        if (started) engine_.note_end(*part_, outcome_);
    }

    [[nodiscard]] managed_part& part() noexcept { return *part_; }
    [[nodiscard]] const managed_part::attempt& attempt() const noexcept { return attempt_; }
    [[nodiscard]] result<>& outcome() noexcept { return outcome_; }

    bool started = false;

private:
    manager_engine& engine_;
    std::shared_ptr<managed_part> part_;
    managed_part::attempt attempt_;
    result<> outcome_ = failure(cond::cancelled);
};

shared_informer<object> manager_engine::informer(const resource_type& resource, informer_options o)
{
    if (resource.namespaced && o.namespaces.empty()) o.namespaces = options.namespaces;
    auto made = informers.get(resource, std::move(o));
    bool begin = false;
    declarations released; // destroyed without the mutex
    {
        std::lock_guard lock(mutex_);
        released = take_released([&resource](const resource_type& r) { return r == resource; });
        const auto same = [&made](const auto& i) {
            return i.resource() == made.resource() && i.share() == made.share();
        };
        if (std::none_of(declared_.begin(), declared_.end(), same)) declared_.push_back(made);
        begin = started_ && core_.phase() >= manager_phase::syncing && !core_.closing();
    }
    if (begin) {
        informers.start();
        sync_.follow(made);
    }
    return made;
}

std::optional<shared_informer<object>> manager_engine::find_declared(const resource_type& resource)
{
    return find_declared([&resource](const resource_type& r) { return r == resource; });
}

std::optional<shared_informer<object>> manager_engine::find_declared(std::string_view group, std::string_view kind)
{
    return find_declared([&](const resource_type& r) { return r.group == group && r.kind == kind; });
}

/// One of all objects before one of a share.
std::optional<shared_informer<object>>
manager_engine::find_declared(const std::function<bool(const resource_type&)>& fits)
{
    declarations released; // destroyed without the mutex
    std::lock_guard lock(mutex_);
    released = take_released(fits);
    std::optional<shared_informer<object>> found;
    for (const auto& i : declared_)
        if (fits(i.resource()) && (!found || !i.share())) found = i;
    return found;
}

/// Takes out the declared informers that have stopped before the manager stops: their stores show no change any more.
manager_engine::declarations manager_engine::take_released(const std::function<bool(const resource_type&)>& fits)
{
    KUBECORO_EXPECT(mutex_.held_here());
    declarations out;
    if (core_.closing()) return out;
    out.reserve(declared_.size());
    std::erase_if(declared_, [&](const auto& i) {
        const bool over = fits(i.resource()) && i.state() == informer_state::stopped;
        if (over) out.push_back(i);
        return over;
    });
    return out;
}

shared_informer<object> manager_engine::declared(const resource_type& resource)
{
    const auto known = find_declared(resource);
    if (known) return *known;
    if (!is_started()) return informer(resource, {});
    throw error(failure(cond::misconfigured,
                        resource.display_name() +
                            " is read, but was not declared: name it before the start by informer(), lister(), "
                            "control(), owns() or watches(), or by informer() while running"));
}

bool manager_engine::is_started() const
{
    std::lock_guard lock(mutex_);
    return started_;
}

std::string manager_engine::free_name(std::string wish) const
{
    KUBECORO_EXPECT(mutex_.held_here());
    std::set<std::string_view> taken; // once: a program may have thousands of parts of one name
    for (const auto& [id, p] : parts_) taken.insert(p->name);
    std::string name = wish;
    for (int n = 2; taken.contains(name); ++n) name = wish + "-" + std::to_string(n);
    return name;
}

controller_options manager_engine::completed(controller_options o, const std::string& name)
{
    o.name = name;
    if (!o.time) o.time = options.time;
    if (!o.metrics) o.metrics = options.metrics;
    if (!o.traces.tracer) o.traces = options.traces;
    if (place_) o.traces.cluster = place_->cluster;
    if (!o.own_writes_of) o.own_writes_of = std::make_shared<const client>(cluster);
    if (!o.own_writes_shown_by) {
        o.own_writes_shown_by = [weak = weak_from_this()](std::string_view group, std::string_view kind) {
            const auto self = weak.lock();
            return self ? self->find_declared(group, kind) : std::nullopt;
        };
    }
    o.log = *options.log;
    o.grace = std::min<duration>(o.grace, options.grace / 5 * 4);
    return o;
}

std::shared_ptr<managed_part> manager_engine::keep(std::shared_ptr<managed_part> part, manager_core::part_settings how)
{
    KUBECORO_EXPECT(mutex_.held_here());
    how.name = part->name;
    how.seed = seeds_();
    part->id = core_.add(std::move(how));
    parts_.emplace(part->id, part);
    return part;
}

key_share manager_engine::share_of(const control_options& o) const
{
    const auto ours = share();
    return ours && o.needs_leadership && !o.running.share ? *ours : o.running.share;
}

std::shared_ptr<managed_part> manager_engine::add_controller(const resource_type& resource, reconciler reconcile,
                                                             control_options o)
{
    o.running.share = share_of(o);
    auto own = watched(resource, o.running.share, true);
    return add_controller(resource, std::move(own), std::move(reconcile), std::move(o));
}

std::shared_ptr<managed_part> manager_engine::add_controller(reconciler reconcile, control_options o)
{
    if (share() && o.needs_leadership)
        throw error(failure(cond::misconfigured, "controller " + o.name + ": keys of collections have no shards"));
    return add_controller({}, std::nullopt, std::move(reconcile), std::move(o));
}

std::shared_ptr<managed_part> manager_engine::add_controller(const resource_type& resource,
                                                             std::optional<shared_informer<object>> own,
                                                             reconciler reconcile, control_options o)
{
    const auto worked_on = o.running.share;
    const bool waits = o.needs_leadership && !share(); // shards are an alternative to a leader
    std::shared_ptr<managed_part> part;
    bool late = false;
    {
        std::lock_guard lock(mutex_);
        auto name = o.running.name;
        if (!o.name.empty()) name = o.name;
        name = free_name(name.empty() ? resource.display_name() : name);
        auto made = std::make_unique<controller<object>>(executor_.get(), std::move(reconcile),
                                                         completed(std::move(o.running), name));
        if (own) made->watch(*std::move(own), enqueue_object(), {.filter = std::move(o.filter)});
        part = keep(std::make_shared<managed_part>(name, resource, worked_on, std::move(made)),
                    {.stage = waits ? part_stage::leading : part_stage::synced});
        late = core_.closing();
    }
    if (late) say_late(*options.log, *part);
    news_.notify();
    return part;
}

std::shared_ptr<managed_part> manager_engine::add_runnable(std::string name, patient_runnable f, bool is_patient,
                                                           runnable_options o, bool apart)
{
    std::shared_ptr<managed_part> part;
    bool late = false;
    {
        std::lock_guard lock(mutex_);
        auto made = std::make_shared<managed_part>(free_name(std::move(name)), std::move(f), is_patient);
        part = keep(std::move(made), {.stage = stage_of(o), .retry = o.retry, .apart = apart});
        late = core_.closing();
    }
    if (late) say_late(*options.log, *part);
    news_.notify();
    return part;
}

void manager_engine::remove(managed_part& part)
{
    const bool runs = tell([&part](manager_core& core) { return core.remove(part.id); });
    if (runs) return;
    std::lock_guard lock(mutex_);
    parts_.erase(part.id);
    part.gone.settle({});
}

void manager_engine::has_worked(const managed_part& part)
{
    tell([&part](manager_core& core) { core.has_worked(part.id); });
}

std::shared_ptr<cluster_set> manager_engine::add_clusters(std::shared_ptr<cluster_provider> from, manager_setup setup,
                                                          clusters_options o)
{
    auto set = std::make_shared<cluster_set>(*this, std::move(from), std::move(setup), std::move(o));
    std::lock_guard lock(mutex_);
    std::erase_if(clusters_, [](const auto& former) { return former->over(); });
    clusters_.push_back(set);
    return set;
}

std::vector<std::shared_ptr<cluster_set>> manager_engine::cluster_sets() const
{
    std::lock_guard lock(mutex_);
    return clusters_;
}

const std::string& manager_engine::cluster_name() const noexcept
{
    static const std::string own;
    return place_ ? place_->cluster : own;
}

std::optional<key_share> manager_engine::share() const
{
    if (place_) return place_->share;
    return member_ ? std::optional(member_->share()) : std::nullopt;
}

std::shared_ptr<managed_part> manager_engine::part(part_id id) const
{
    std::lock_guard lock(mutex_);
    const auto at = parts_.find(id);
    return at == parts_.end() ? nullptr : at->second;
}

std::vector<std::shared_ptr<managed_part>> manager_engine::controlling() const
{
    std::vector<std::shared_ptr<managed_part>> all;
    std::lock_guard lock(mutex_);
    for (const auto& [id, p] : parts_)
        if (p->controlled) all.push_back(p);
    return all;
}

std::vector<controller_stats> manager_engine::controllers() const
{
    std::vector<controller_stats> out;
    for (const auto& p : controlling()) out.push_back(p->controlled->stats());
    return out;
}

std::vector<std::string> manager_engine::work() const
{
    auto out = running_.names();
    for (const auto& p : controlling()) std::ranges::move(p->controlled->tasks(), std::back_inserter(out));
    return out;
}

std::vector<std::string> manager_engine::tasks() const
{
    auto out = supervising_.names();
    std::ranges::move(work(), std::back_inserter(out));
    return out;
}

void manager_engine::start_part(part_id id)
{
    const auto p = part(id);
    const auto strand = make_kept_strand(executor_).get();
    options.log->debug("starting", {{"part", p->name}});
    // Held here, so that a part which cannot be started has not ended: the step is repeated.
    const auto mark = std::make_shared<part_mark>(*this, p);
    running_.spawn(p->name, strand, run_part(mark));
    mark->started = true;
}

asio::awaitable<result<>> manager_engine::run_part(std::shared_ptr<part_mark> mark)
{
    try { // the function may throw before it has made its coroutine
        mark->outcome() = co_await unless(mark->attempt().cancel.wait(), mark->part().run(mark->attempt().stop));
    } catch (...) {
        mark->outcome() = to_failure(std::current_exception());
    }
    co_return result<>{};
}

void manager_engine::note_end(managed_part& part, const result<>& outcome)
{
    bool gone = false;
    const time_point now = options.time->now();
    std::optional<time_point> again;
    {
        std::lock_guard lock(mutex_);
        again = core_.part_ended(part.id, outcome, now);
        gone = !core_.knows(part.id);
        if (gone) parts_.erase(part.id);
    }
    if (again)
        options.log->warning("a part of the manager failed, and starts again",
                             {{"part", part.name},
                              {"seconds", std::chrono::duration<double>(*again - now).count()},
                              {"failure", outcome.error().describe()}});
    else if (!outcome && outcome.error() != cond::cancelled)
        options.log->error("a part of the manager failed",
                           {{"part", part.name}, {"failure", outcome.error().describe()}});
    else
        options.log->debug("a part of the manager has ended", {{"part", part.name}});
    if (gone) part.gone.settle({});
    news_.notify();
}

} // namespace kubecoro::detail
