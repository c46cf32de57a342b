#include <kubecoro/endpoints/health_checks.hpp>

#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/endpoints/ready_checks.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <string>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

constexpr std::string_view ping = "ping";
constexpr std::size_t longest_name = 128;

bool is_name(std::string_view name)
{
    const auto permitted = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.' || c == ':';
    };
    return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), permitted);
}

} // namespace

std::string_view to_string(health_probe p) noexcept { return p == health_probe::live ? "livez" : "readyz"; }

/// One check, with the number of its calls in progress.
class health_checks::entry
{
public:
    /// @param shown  Null: its outcome is not among the metrics.
    entry(std::string name, health_check check, duration timeout, std::function<std::string()> of,
          std::shared_ptr<metrics::gauge> shown)
        : detail(std::move(of)),
          name_(std::move(name)),
          check_(std::move(check)),
          timeout_(timeout),
          shown_(std::move(shown))
    {
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const latch& idle() const noexcept { return idle_; }

    /// @return false when it is removed.
    bool begin()
    {
        std::lock_guard lock(mutex_);
        if (removed_) return false;
        ++calls_;
        return true;
    }
    void end()
    {
        std::lock_guard lock(mutex_);
        if (--calls_ == 0 && removed_) idle_.settle({});
    }
    void remove()
    {
        std::shared_ptr<metrics::gauge> ending; // released after the lock
        std::lock_guard lock(mutex_);
        removed_ = true;
        ending = std::move(shown_);
        if (calls_ == 0) idle_.settle({});
    }

    static asio::awaitable<result<>> run(std::shared_ptr<entry> self, std::shared_ptr<time_source> time)
    {
        co_return co_await with_timeout(*time, self->timeout_, "check " + self->name_, self->check_.run());
    }

    /// Shows the outcome of a call; that of a removed check could be taken for one of a new check of its name.
    /// @return whether it differs from the last one. A first success does not.
    bool note(bool well)
    {
        std::lock_guard lock(mutex_);
        if (shown_) shown_->set(well ? 1 : 0);
        return std::exchange(well_, well) != well;
    }

    const std::function<std::string()> detail;

private:
    const std::string name_;
    const health_check check_;
    const duration timeout_;
    std::mutex mutex_;
    std::shared_ptr<metrics::gauge> shown_;
    std::size_t calls_ = 0;
    bool removed_ = false;
    bool well_ = true;
    latch idle_;
};

struct health_checks::state
{
    health_options options;
    std::mutex mutex;
    std::array<std::vector<std::shared_ptr<entry>>, 2> entries = {};

    std::vector<std::shared_ptr<entry>>& of(health_probe p) { return entries[static_cast<std::size_t>(p)]; }

    std::shared_ptr<entry> find(health_probe p, std::string_view name)
    {
        std::lock_guard lock(mutex);
        for (const auto& e : of(p))
            if (e->name() == name) return e;
        return nullptr;
    }

    std::vector<std::shared_ptr<entry>> take(std::string_view name)
    {
        std::vector<std::shared_ptr<entry>> out;
        std::lock_guard lock(mutex);
        for (auto& list : entries) {
            const auto at = std::find_if(list.begin(), list.end(), [&](const auto& e) { return e->name() == name; });
            if (at == list.end()) continue;
            out.push_back(std::move(*at));
            list.erase(at);
        }
        return out;
    }

    [[nodiscard]] std::shared_ptr<metrics::gauge> make_gauge(health_probe p, const std::string& name) const
    {
        constexpr auto series = "kubecoro_endpoints_health_check";
        metric_labels labels{{"name", name}, {"probe", std::string(to_string(p))}};
        if (!options.metrics) return nullptr;
        if (auto ending = options.metrics->make_transient_gauge(series, labels)) return ending;
        return options.metrics->make_gauge(series, std::move(labels));
    }

    void report(entry& e, health_probe probe, const result<>& outcome) const
    {
        if (!e.note(outcome.has_value())) return;
        if (outcome)
            options.log.info("a health check succeeds again", {{"check", e.name()}, {"probe", to_string(probe)}});
        else
            options.log.warning(
                "a health check fails",
                {{"check", e.name()}, {"probe", to_string(probe)}, {"failure", outcome.error().describe()}});
    }
};

health_checks::health_checks(health_options options) : state_(std::make_shared<state>())
{
    if (!options.time) options.time = real_clock();
    state_->options = std::move(options);
}

result<> health_checks::add(health_probe which, std::string name, health_check check, duration timeout,
                            std::function<std::string()> detail) const
{
    if (!is_name(name)) return failure{cond::invalid, "a health check's name has letters, digits and -_.: only"};
    auto shown = detail ? nullptr : state_->make_gauge(which, name);
    auto added = std::make_shared<entry>(name, std::move(check), timeout, std::move(detail), std::move(shown));
    std::lock_guard lock(state_->mutex);
    auto& list = state_->of(which);
    const bool taken = std::any_of(list.begin(), list.end(), [&](const auto& e) { return e->name() == name; });
    if (taken || name == ping) return failure{cond::already_exists, "there is a health check " + name};
    list.push_back(std::move(added));
    return {};
}

result<> health_checks::add_live(std::string name, health_check check, saturating_duration timeout) const
{
    return add(health_probe::live, std::move(name), std::move(check), timeout);
}

result<> health_checks::add_ready(std::string name, health_check check, saturating_duration timeout) const
{
    return add(health_probe::ready, std::move(name), std::move(check), timeout);
}

result<> health_checks::add_ready_detail(std::string name, std::function<std::string()> text) const
{
    const auto always_well = [] { return result<>(); };
    return add(health_probe::ready, std::move(name), health_check(always_well), {}, std::move(text));
}

bool health_checks::remove(std::string_view name) const
{
    const auto taken = state_->take(name);
    for (const auto& e : taken) e->remove();
    return !taken.empty();
}

asio::awaitable<result<>> health_checks::removed(std::string name) const
{
    return [](std::vector<std::shared_ptr<entry>> taken) -> asio::awaitable<result<>> {
        for (const auto& e : taken) e->remove();
        for (const auto& e : taken) {
            KUBECORO_TRY(co_await e->idle().wait());
        }
        co_return result<>{};
    }(state_->take(name));
}

std::vector<std::string> health_checks::names(health_probe which) const
{
    std::vector<std::string> out{std::string(ping)};
    std::lock_guard lock(state_->mutex);
    for (const auto& e : state_->of(which)) out.push_back(e->name());
    return out;
}

asio::awaitable<std::vector<health_checks::verdict>> health_checks::run(health_probe which,
                                                                        std::vector<std::string> names) const
{
    auto in_order = [](std::shared_ptr<state> s, health_probe probe,
                       std::vector<std::string> wanted) -> asio::awaitable<std::vector<health_checks::verdict>> {
        std::vector<health_checks::verdict> out;
        const bool in_clean_up = co_await stop_requested();
        for (std::string& name : wanted) {
            if (!in_clean_up && co_await stop_requested()) break;
            if (name == ping) {
                out.push_back({std::move(name), {}, {}});
                continue;
            }
            const auto e = s->find(probe, name);
            if (!e || !e->begin()) continue;
            const struct call
            {
                entry& of;
                ~call() { of.end(); }
            } in_progress{*e};
            auto outcome = co_await catch_failure(entry::run(e, s->options.time));
            s->report(*e, probe, outcome);
            out.push_back({std::move(name), std::move(outcome), e->detail});
        }
        co_return out;
    };
    return detail::finishing(in_order(state_, which, std::move(names)));
}

namespace {

std::string in_seconds(duration d)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count()) + " s";
}

} // namespace

health_check informers_synced(std::function<std::vector<shared_informer<object>>()> informers)
{
    return [informers = std::move(informers)]() -> result<> {
        for (const auto& i : informers())
            if (!i.synced())
                return failure{cond::retry_later, "the informer of " + i.resource().plural +
                                                      " is not synced: " + std::string(to_string(i.state()))};
        return {};
    };
}

health_check informers_synced(const informer_factory& informers)
{
    return informers_synced([&informers] { return informers.informers(); });
}

health_check informers_current(std::function<std::vector<shared_informer<object>>()> informers, duration most)
{
    return [informers = std::move(informers), most]() -> result<> {
        for (const auto& i : informers()) {
            const auto now = i.stats();
            if (!now.synced || !now.store_age || *now.store_age <= most) continue;
            const auto& last = now.reflector.last_failure;
            return failure{cond::timed_out, "the store of " + i.resource().plural + " may be " +
                                                in_seconds(*now.store_age) + " old" +
                                                (last ? ": " + last->message() : std::string())};
        }
        return {};
    };
}

health_check informers_current(const informer_factory& informers, duration most)
{
    return informers_current([&informers] { return informers.informers(); }, most);
}

health_check controller_running(std::function<controller_stats()> stats)
{
    return [stats = std::move(stats)]() -> result<> {
        const controller_stats now = stats();
        if (now.phase == controller_phase::running) return {};
        return failure{cond::retry_later,
                       "the controller " + now.queue.name + " is " + std::string(to_string(now.phase))};
    };
}

health_check controller_running(const controller<object>& c)
{
    return controller_running([&c] { return c.stats(); });
}

health_check lease_renewed(std::function<std::optional<duration>()> since_renewal, duration most)
{
    return [since_renewal = std::move(since_renewal), most]() -> result<> {
        const auto since = since_renewal();
        if (!since || *since <= most) return {};
        return failure{cond::timed_out, "the lease was renewed " + in_seconds(*since) + " ago"};
    };
}

} // namespace kubecoro
