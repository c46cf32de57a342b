#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/testing/fault_plan.hpp>

#include <algorithm>
#include <mutex>

namespace kubecoro::testing {

fault fault::refuse() { return {}; }

fault fault::no_answer()
{
    fault f;
    f.kind = what::no_answer;
    return f;
}

fault fault::delay(duration d)
{
    fault f;
    f.kind = what::delay;
    f.wait = d;
    return f;
}

fault fault::answer(int status, std::string body, std::vector<std::pair<std::string, std::string>> headers)
{
    fault f;
    f.kind = what::answer;
    f.status = status;
    f.body = std::move(body);
    f.headers = std::move(headers);
    return f;
}

fault fault::status_answer(int status, std::string_view reason, std::chrono::seconds retry_after)
{
    std::string body =
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"by a fault plan")";
    body += ",\"reason\":\"" + std::string(reason) + "\",\"code\":" + std::to_string(status) + "}\n";
    auto f = answer(status, std::move(body), {{"content-type", "application/json"}});
    if (retry_after.count() > 0) f.headers.emplace_back("retry-after", std::to_string(retry_after.count()));
    return f;
}

fault fault::cut(std::size_t after_bytes)
{
    fault f;
    f.kind = what::cut;
    f.after_bytes = after_bytes;
    return f;
}

fault fault::stall(std::size_t after_bytes)
{
    fault f;
    f.kind = what::stall;
    f.after_bytes = after_bytes;
    return f;
}

struct fault_plan::state
{
    struct counted_rule
    {
        fault_plan::rule rule;
        std::size_t seen = 0;
    };
    mutable std::mutex mutex;
    kubecoro::detail::random_source random;
    std::vector<counted_rule> rules;
    fault_plan::chances chances;
    bool enabled = true;
    bool down = false;
    latch cut;
    counts so_far;

    std::optional<fault> by_rule(const request& r)
    {
        for (auto& c : rules) {
            if (!c.rule.method.empty() && c.rule.method != r.method) continue;
            if (r.target.find(c.rule.target) == std::string::npos) continue;
            ++c.seen;
            if (c.seen >= c.rule.nth && (c.rule.times == 0 || c.seen - c.rule.nth < c.rule.times)) return c.rule.what;
        }
        return std::nullopt;
    }

    std::size_t some_bytes() { return random() % (chances.max_bytes + 1); }

    std::optional<fault> by_chance(const request& r)
    {
        // A single draw, so that the random sequence does not depend on which probabilities are zero.
        double left = kubecoro::detail::next_unit(random);
        const auto hits = [&left](double p) {
            const bool hit = left < p;
            left -= p;
            return hit;
        };
        const bool collection = r.method == "GET" && r.target.find('?') != std::string::npos;
        if (hits(chances.refuse)) return fault::refuse();
        if (hits(chances.no_answer)) return fault::no_answer();
        if (hits(chances.server_error)) return fault::status_answer(500, "InternalError");
        if (hits(chances.too_many)) return fault::status_answer(429, "TooManyRequests", std::chrono::seconds{1});
        if (hits(chances.expired)) {
            if (!collection) return std::nullopt;
            return fault::status_answer(410, "Expired");
        }
        if (hits(chances.cut)) return fault::cut(some_bytes());
        if (hits(chances.stall)) return fault::stall(some_bytes());
        if (!hits(chances.delay)) return std::nullopt;
        const double ticks = kubecoro::detail::next_unit(random) * static_cast<double>(chances.max_delay.count());
        return fault::delay(duration(static_cast<duration::rep>(ticks)));
    }

    void count(const fault& f)
    {
        ++so_far.faults;
        switch (f.kind) {
        case fault::what::refuse:
            ++so_far.refused;
            return;
        case fault::what::no_answer:
            ++so_far.unanswered;
            return;
        case fault::what::delay:
            ++so_far.delayed;
            return;
        case fault::what::answer:
            ++so_far.answered;
            return;
        case fault::what::cut:
            ++so_far.cut;
            return;
        case fault::what::stall:
            ++so_far.stalled;
            return;
        }
    }
};

fault_plan::fault_plan(std::uint64_t seed) : state_(std::make_unique<state>()) { state_->random.seed(seed); }
fault_plan::~fault_plan() = default;

void fault_plan::add(fault_plan::rule rule)
{
    std::lock_guard lock(state_->mutex);
    state_->rules.push_back({std::move(rule)});
}

void fault_plan::set_chances(const fault_plan::chances& chances)
{
    std::lock_guard lock(state_->mutex);
    state_->chances = chances;
}

void fault_plan::clear()
{
    std::lock_guard lock(state_->mutex);
    state_->rules.clear();
    state_->chances = {};
}

void fault_plan::enable(bool on)
{
    std::lock_guard lock(state_->mutex);
    state_->enabled = on;
}

void fault_plan::set_down(bool down)
{
    {
        std::lock_guard lock(state_->mutex);
        state_->down = down;
    }
    if (down) cut_open();
}

void fault_plan::cut_open()
{
    latch old;
    {
        std::lock_guard lock(state_->mutex);
        std::swap(old, state_->cut);
    }
    old.settle({});
}

fault_plan::counts fault_plan::so_far() const
{
    std::lock_guard lock(state_->mutex);
    return state_->so_far;
}

std::optional<fault> fault_plan::decide(const request& r)
{
    std::lock_guard lock(state_->mutex);
    ++state_->so_far.requests;
    std::optional<fault> f;
    if (state_->down)
        f = fault::refuse();
    else if (state_->enabled) {
        f = state_->by_rule(r);
        if (!f) f = state_->by_chance(r);
    }
    if (f) state_->count(*f);
    return f;
}

latch fault_plan::next_cut() const
{
    std::lock_guard lock(state_->mutex);
    return state_->cut;
}

std::size_t fault_plan::piece(std::size_t available)
{
    std::lock_guard lock(state_->mutex);
    const auto most = std::min(available, state_->chances.max_piece);
    if (!state_->enabled || most == 0) return available;
    return 1 + state_->random() % most;
}

} // namespace kubecoro::testing
