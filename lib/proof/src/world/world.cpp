#include "world/world.hpp"

#include <kubecoro/apiserver/in_process.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing::detail {
namespace {

/// Handlers at one point in virtual time.
constexpr std::size_t most_handlers = 1'000'000;
/// From an end by itself to the next start, doubled for each.
constexpr duration first_pause = std::chrono::seconds{10};
constexpr unsigned most_doublings = 5;

std::shared_ptr<transport> transport_of(apiserver::embedded_server& server, const std::string& account)
{
    const user_info as{account, {"system:serviceaccounts", "system:authenticated"}};
    return std::make_shared<apiserver::in_process_transport>(server, as);
}

} // namespace

apiserver::server_options server_options_of(const operator_check_options& o, std::shared_ptr<time_source> time,
                                            std::uint64_t seed)
{
    apiserver::server_options out;
    out.time = std::move(time);
    if (o.live) out.live_nodes = 1;
    out.log = logger::silent();
    out.cluster.seed = seed;
    return out;
}

world::world(const scenario& about, std::uint64_t seed, duration resync, bool elects, bool traced)
    : about_(&about),
      resync_(resync),
      elects_(elects),
      clock_(std::make_shared<virtual_clock>()),
      random_(seed),
      notes_(clock_, traced),
      server_run_(random_(), ready_order::shuffled, clock_),
      server_(server_run_.executor(), server_options_of(*about.options, clock_, random_())),
      direct_(transport_of(server_, about.account))
{
}

world::~world()
{
    for (auto& s : seats_) s.running.reset();
    server_run_.destroy_coroutines();
}

result<> world::restore() { return server_run_.run(server_.restore(about_->base)); }

void world::start(seat& s)
{
    s.life = ++lives_;
    notes_.note("operator", lives_ == 1 ? "starts" : "starts again");
    auto connection = std::make_shared<wire>(server_run_, direct_, *master_, about_->options->application, s.life);
    const auto identity = elects_ ? identity_of(s.life) : std::string();
    s.running = std::make_unique<replica>(about_->replicas, clock_, std::move(connection), random_(), resync_, identity,
                                          notes_);
    if (const auto started = s.running->start(); !started) {
        ends_.push_back("the set-up failed: " + started.error().describe());
        s.running.reset();
    }
}

void world::end(seat& s, bool when_idle, duration pause)
{
    if (!s.running || s.dying) return;
    s.dying = true;
    s.when_idle = when_idle;
    s.pause = pause;
    s.running->connection().hold();
}

void world::end_operator(unsigned life, bool when_idle, duration pause)
{
    if (auto* const s = seat_of(life)) end(*s, when_idle, pause);
}

void world::hand_over(unsigned life, duration lasts)
{
    auto* const s = seat_of(life);
    if (!elects_ || !s || !s->running) return;
    const auto cut = s->running->connection().weak_from_this();
    s->running->connection().cut_off(true);
    at(clock_->now() + lasts, [cut] {
        if (const auto still = cut.lock()) still->cut_off(false);
    });
    if (auto& other = seats_.back(); other.life == 0) start(other);
}

void world::end_watches(bool expired)
{
    for (auto& s : seats_)
        if (s.running) s.running->connection().end_watches(expired);
}

world::seat* world::seat_of(unsigned life)
{
    for (auto& s : seats_)
        if (life == 0 ? s.leads() : s.life == life) return &s;
    return life == 0 ? &seats_.front() : nullptr;
}

std::uint64_t world::threw() const
{
    auto out = threw_;
    for (const auto& s : seats_)
        if (s.running) out += s.running->threw();
    return out;
}

bool world::bury(seat& s)
{
    notes_.note("operator", "ends");
    threw_ += s.running->threw();
    s.running.reset();
    s.dying = false;
    at(clock_->now() + s.pause, [this, &s] { start(s); });
    return true;
}

bool world::run_one()
{
    for (auto& s : seats_)
        if (s.dying && !s.when_idle) return bury(s);
    const bool server_first = random_() % 2 == 0;
    if (server_first && server_run_.run_ready()) return true;
    for (auto& s : seats_)
        if (s.running && s.running->run_ready()) return true;
    for (auto& s : seats_)
        if (s.dying) return bury(s);
    return !server_first && server_run_.run_ready();
}

bool world::look_for_ends()
{
    bool any = false;
    for (auto& s : seats_) {
        if (!s.running || s.dying) continue;
        const auto why = s.running->end();
        if (!why) continue;
        notes_.note("operator", "has ended by itself: " + *why);
        ends_.push_back(*why);
        const auto doublings = std::min(static_cast<unsigned>(ends_.size()) - 1, most_doublings);
        end(s, false, first_pause * (1 << doublings));
        any = true;
    }
    return any;
}

bool world::advance_to(time_point end)
{
    for (;;) {
        if (run_one()) {
            if (++steps_ > most_handlers) return false;
            if (std::exchange(changed_, false) && on_change_) on_change_();
            continue;
        }
        if (look_for_ends()) continue;
        auto next = clock_->next_event().value_or(end);
        if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first);
        if (next > end) break;
        if (next > clock_->now()) steps_ = 0;
        clock_->advance_to(next);
        while (!agenda_.empty() && agenda_.begin()->first <= clock_->now()) {
            const auto f = std::move(agenda_.extract(agenda_.begin()).mapped());
            f();
        }
        if (next == end) {
            if (run_one()) continue;
            break;
        }
    }
    clock_->advance_to(end);
    return true;
}

std::string world::dump() { return server_run_.run(server_.snapshot()).value(); }

std::vector<object> world::objects(std::string_view resource)
{
    std::vector<object> out;
    const auto texts = server_run_.run(server_.objects(std::string(resource)));
    if (!texts) return out;
    for (const auto& text : *texts)
        if (auto o = object::parse(text)) out.push_back(std::move(*o));
    return out;
}

void world::spawn(asio::awaitable<result<>> body)
{
    std::erase_if(hands_, [](const auto& h) { return h.done(); });
    hands_.push_back(server_run_.spawn(std::move(body)));
}

std::size_t world::hands() const
{
    return static_cast<std::size_t>(
        std::count_if(hands_.begin(), hands_.end(), [](const auto& h) { return !h.done(); }));
}

} // namespace kubecoro::testing::detail
