#include <kubecoro/endpoints/health_checks.hpp>

#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/timeout.hpp>

#include <algorithm>
#include <array>
#include <mutex>

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
    entry(std::string name, health_check check, health_check_options options, std::function<std::string()> of)
        : detail(std::move(of)), name_(std::move(name)), check_(std::move(check)), options_(options)
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
        std::lock_guard lock(mutex_);
        removed_ = true;
        if (calls_ == 0) idle_.settle({});
    }

    static asio::awaitable<result<>> run(std::shared_ptr<entry> self, std::shared_ptr<time_source> time)
    {
        auto checking = self->check_.run();
        auto limited = with_timeout(*time, self->options_.timeout, "check " + self->name_, std::move(checking));
        co_return co_await std::move(limited);
    }

    /// @return whether the outcome differs from the last one. A first success does not.
    bool changed(bool well)
    {
        std::lock_guard lock(mutex_);
        return std::exchange(well_, well) != well;
    }

    const std::function<std::string()> detail;
    std::shared_ptr<metrics::gauge> shown;

private:
    const std::string name_;
    const health_check check_;
    const health_check_options options_;
    std::mutex mutex_;
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

    void report(entry& e, health_probe probe, const result<>& outcome) const
    {
        if (e.shown) e.shown->set(outcome ? 1 : 0);
        if (!e.changed(outcome.has_value())) return;
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

result<> health_checks::add(health_probe which, std::string name, health_check check, health_check_options options,
                            std::function<std::string()> detail) const
{
    if (!is_name(name)) return failure{cond::invalid, "a health check's name has letters, digits and -_.: only"};
    auto added = std::make_shared<entry>(name, std::move(check), options, std::move(detail));
    if (state_->options.metrics && !added->detail)
        added->shown = state_->options.metrics->make_gauge("kubecoro_endpoints_health_check",
                                                           {{"name", name}, {"probe", std::string(to_string(which))}});
    std::lock_guard lock(state_->mutex);
    auto& list = state_->of(which);
    const bool taken = std::any_of(list.begin(), list.end(), [&](const auto& e) { return e->name() == name; });
    if (taken || name == ping) return failure{cond::already_exists, "there is a health check " + name};
    list.push_back(std::move(added));
    return {};
}

result<> health_checks::add_live(std::string name, health_check check, health_check_options options) const
{
    return add(health_probe::live, std::move(name), std::move(check), options);
}

result<> health_checks::add_ready(std::string name, health_check check, health_check_options options) const
{
    return add(health_probe::ready, std::move(name), std::move(check), options);
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
            auto ended = co_await e->idle().wait();
            if (!ended) co_return ended;
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

asio::awaitable<std::vector<health_outcome>> health_checks::run(health_probe which,
                                                                std::vector<std::string> names) const
{
    return [](std::shared_ptr<state> s, health_probe probe,
              std::vector<std::string> wanted) -> asio::awaitable<std::vector<health_outcome>> {
        co_await finish_despite_cancellation();
        std::vector<health_outcome> out;
        for (std::string& name : wanted) {
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
            auto running = entry::run(e, s->options.time);
            auto guarded = catch_failure(std::move(running));
            auto outcome = co_await std::move(guarded);
            s->report(*e, probe, outcome);
            out.push_back({std::move(name), std::move(outcome), e->detail});
        }
        co_return out;
    }(state_, which, std::move(names));
}

} // namespace kubecoro
