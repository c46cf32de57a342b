#include "informer/lane_set.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <compare>
#include <thread>
#include <utility>

namespace kubecoro::detail {
namespace {

/// Strands that decode at the same time; more would cost a vocabulary each and find no free core.
constexpr std::size_t most_decoders = 4;

/// Number of strands that decode, and of encodings.
std::size_t decoders_for(const decode_strand& first)
{
    // Packing learns from all objects, and the store packs them again later: such an encoding has one strand.
    if (first.encoding->stats().policy == storage::compressed) return 1;
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_decoders);
}

informer_state worse(informer_state a, informer_state b)
{
    constexpr auto rank = [](informer_state s) {
        switch (s) {
        case informer_state::parked:
        case informer_state::waiting:
            return 4;
        case informer_state::queued:
            return 3;
        case informer_state::listing:
            return 2;
        case informer_state::created:
            return 1;
        default:
            return 0;
        }
    };
    return rank(a) >= rank(b) ? a : b;
}

} // namespace

lane_set::lane_set(const informer_settings& s, decode_strand first, delta_fifo fifo, std::shared_ptr<store> content,
                   std::shared_ptr<const known_objects> known, task_group& running, informer_lane::reporter report)
    : settings_(s),
      fifo_(std::move(fifo)),
      store_(std::move(content)),
      known_(std::move(known)),
      running_(running),
      report_(std::move(report)),
      wanted_(s.options.namespaces)
{
    decoders_.push_back(std::move(first));
    for (const auto& ns : wanted_.watched()) add(ns, {});
}

void lane_set::start()
{
    std::lock_guard lock(mutex_);
    runs_ = true;
    for (const auto& [scope, l] : lanes_) run(l);
}

void lane_set::close(const failure& why)
{
    std::lock_guard lock(mutex_);
    closed_ = why;
    for (const auto& [scope, l] : lanes_) {
        l->request_stop();
        l->gate.close(why);
    }
}

result<> lane_set::want(const std::vector<std::string>& named, const std::function<void(namespaces_core&)>& change)
{
    {
        std::lock_guard lock(mutex_);
        if (closed_) return *closed_;
        named_.insert(named.begin(), named.end());
        change(wanted_);
    }
    if (settings_.moved) settings_.moved->note(settings_.number);
    return {};
}

std::vector<std::string> lane_set::namespaces() const
{
    std::lock_guard lock(mutex_);
    if (wanted_.covers("")) return {};
    const auto watched = wanted_.watched();
    return {watched.begin(), watched.end()};
}

bool lane_set::covers_just(const namespaces_core& wanted) const
{
    std::lock_guard lock(mutex_);
    return wanted_ == wanted;
}

std::vector<std::shared_ptr<informer_lane>> lane_set::all() const
{
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<informer_lane>> out;
    out.reserve(lanes_.size());
    for (const auto& [scope, l] : lanes_) out.push_back(l);
    return out;
}

informer_state lane_set::state() const
{
    informer_state s = informer_state::watching; // without namespaces nothing is pending
    for (const auto& l : all()) s = worse(s, l->current().state);
    return s;
}

std::string lane_set::version() const
{
    std::string newest;
    for (const auto& l : all()) {
        auto version = l->current().version;
        if (newest.empty() || std::is_lt(compare_versions(newest, version))) newest = std::move(version);
    }
    return newest;
}

void lane_set::add_to(informer_stats& s) const
{
    std::lock_guard lock(mutex_);
    s.reflector = past_;
    s.storage = decoders_.front().encoding->stats();
    for (std::size_t i = 1; i < decoders_.size(); ++i) s.storage.shared_bytes += decoders_[i].encoding->bytes();
    std::optional<time_point> heard;
    for (const auto& [scope, l] : lanes_) {
        const auto status = l->current();
        detail::add(s.reflector, status.stats);
        heard = std::max(heard, status.heard);
    }
    s.namespaces = lanes_.size();
    const auto now = settings_.time->now();
    if (heard) s.silent_for = now - *heard;
    if (s.reflector.current_at) s.store_age = now - *s.reflector.current_at;
}

informer_lane* lane_set::find(std::size_t scope) const
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    const auto at = lanes_.find(scope);
    return at == lanes_.end() ? nullptr : at->second.get();
}

informer_lane* lane_set::of(std::string_view ns) const
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    const auto at = by_namespace_.find(ns);
    return at == by_namespace_.end() ? nullptr : at->second;
}

informer_lane* lane_set::covering(std::string_view ns) const
{
    auto* const everything = of({});
    return everything != nullptr ? everything : of(ns);
}

void lane_set::block(informer_lane& l, std::optional<failure> why)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    if (why)
        blocked_.insert(l.scope());
    else
        blocked_.erase(l.scope());
    l.blocked = std::move(why);
}

informer_lane* lane_set::blocked() const { return blocked_.empty() ? nullptr : find(*blocked_.begin()); }

result<namespaces_core::change> lane_set::due()
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    std::lock_guard lock(mutex_);
    due_.merge(named_);
    named_.clear();
    namespaces_core::change change;
    if (due_.contains("")) {
        std::set<std::string> present;
        for (const auto& [ns, l] : by_namespace_) present.insert(ns);
        change = wanted_.from(present);
    } else {
        for (const auto& ns : due_) {
            const bool is_there = by_namespace_.contains(ns);
            if (is_there == wanted_.watches(ns)) continue;
            (is_there ? change.leave : change.join).push_back(ns);
        }
    }
    const bool any = !change.leave.empty() || !change.join.empty();
    if (any && closed_) return *closed_;
    return change;
}

namespaces_core lane_set::wanted() const
{
    std::lock_guard lock(mutex_);
    return wanted_;
}

bool lane_set::wants(std::string_view ns) const
{
    std::lock_guard lock(mutex_);
    return wanted_.covers(ns);
}

const decode_strand& lane_set::decoder(std::size_t scope)
{
    const std::size_t slot = scope % decoders_for(decoders_.front());
    while (decoders_.size() <= slot) {
        decode_strand d{make_kept_strand(settings_.executor),
                        make_object_encoding(encoding_for(settings_.resource, settings_.options.storage))};
        std::lock_guard lock(mutex_);
        decoders_.push_back(std::move(d));
    }
    return decoders_[slot];
}

void lane_set::add(std::string ns, std::string not_before)
{
    const std::size_t scope = fifo_.add_scope();
    try {
        const auto lane = std::make_shared<informer_lane>(settings_, scope, std::move(ns), std::move(not_before),
                                                          decoder(scope), fifo_, store_->versions(), known_, report_);
        store_->versions()->add_lane(lane->ns(), lane->gate);
        std::lock_guard lock(mutex_);
        lanes_.emplace(scope, lane);
        by_namespace_.insert_or_assign(lane->ns(), lane.get());
        if (closed_) {
            lane->request_stop();
            lane->gate.close(*closed_);
        } else if (runs_) {
            run(lane);
        }
    } catch (...) {
        fifo_.remove_scope(scope); // else the informer would wait for its first list
        throw;
    }
}

void lane_set::run(const std::shared_ptr<informer_lane>& lane)
{
    KUBECORO_EXPECT(mutex_.held_here());
    running_.spawn("reflector of " + lane->describe(), lane->strand().get(), informer_lane::run(lane));
}

void lane_set::remove(const std::string& ns)
{
    KUBECORO_EXPECT(runs_on(settings_.strand));
    const auto at = lanes_.find(by_namespace_.find(ns)->second->scope());
    const auto lane = at->second;
    auto last = lane->current().stats;
    last.outdated = last.behind = 0; // its objects are removed with it
    last.current_at.reset();
    if (leaving_pace_.due(leaving_.size())) {
        std::erase_if(leaving_, [](const auto& l) { return l.second.expired(); });
        leaving_pace_.swept(leaving_.size());
    }
    leaving_.emplace(ns, lane);
    by_namespace_.erase(ns);
    blocked_.erase(lane->scope());
    {
        std::lock_guard lock(mutex_);
        detail::add(past_, last);
        lanes_.erase(at);
    }
    lane->leave(); // before its pushes are dropped: it reports no version from then on
    fifo_.remove_scope(lane->scope());
    lane->gate.close();
}

std::vector<latch> lane_set::leaving(std::string_view ns) const
{
    std::vector<latch> out;
    for (auto [at, end] = leaving_.equal_range(ns); at != end; ++at)
        if (const auto lane = at->second.lock()) out.push_back(lane->gone);
    return out;
}

std::vector<latch> lane_set::leaving() const
{
    std::vector<latch> out;
    for (const auto& [ns, l] : leaving_)
        if (const auto lane = l.lock()) out.push_back(lane->gone);
    return out;
}

} // namespace kubecoro::detail
