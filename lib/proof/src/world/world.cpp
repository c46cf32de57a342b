#include "world/world.hpp"

#include <kubecoro/apiserver/in_process.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing::detail {
namespace {

/// Handlers of one run.
constexpr std::size_t most_handlers = 20'000'000;
/// From an end by itself to the next start, doubled for each.
constexpr duration first_pause = std::chrono::seconds{10};
constexpr unsigned most_doublings = 5;

std::shared_ptr<transport> transport_of(apiserver::embedded_server& server, const std::string& account)
{
    apiserver::in_process_options as;
    as.user = {account, {"system:serviceaccounts", "system:authenticated"}};
    return std::make_shared<apiserver::in_process_transport>(server, as);
}

} // namespace

apiserver::server_options server_options_of(const operator_check_options& o, std::shared_ptr<time_source> time,
                                            std::uint64_t seed)
{
    apiserver::server_options out;
    out.time = std::move(time);
    if (o.live) out.live = apiserver::live_options{};
    out.log = logger::silent();
    out.cluster.seed = seed;
    return out;
}

world::world(const scenario& about, std::uint64_t seed, duration resync, bool traced)
    : about_(&about),
      resync_(resync),
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
    replica_.reset();
    server_run_.destroy_coroutines();
}

result<> world::restore() { return server_run_.run(server_.restore(about_->base)); }

void world::start_operator()
{
    ++lives_;
    notes_.note("operator", lives_ == 1 ? "starts" : "starts again");
    auto connection = std::make_shared<wire>(server_run_, direct_, *master_, lives_);
    replica_ = std::make_unique<replica>(about_->replicas, clock_, std::move(connection), random_(), resync_, notes_);
    if (const auto started = replica_->start(); !started) {
        ends_.push_back("the set-up failed: " + started.error().describe());
        replica_.reset();
    }
}

void world::end_operator(bool when_idle, duration pause)
{
    if (!replica_ || dying_) return;
    dying_ = true;
    when_idle_ = when_idle;
    pause_ = pause;
    replica_->connection().hold();
}

bool world::bury()
{
    notes_.note("operator", "ends");
    threw_ += replica_->threw();
    replica_.reset();
    dying_ = false;
    at(clock_->now() + pause_, [this] { start_operator(); });
    return true;
}

bool world::run_one()
{
    if (dying_ && !when_idle_) return bury();
    const bool server_first = random_() % 2 == 0;
    if (server_first && server_run_.run_ready()) return true;
    if (replica_ && replica_->run_ready()) return true;
    if (dying_ && when_idle_) return bury();
    return !server_first && server_run_.run_ready();
}

void world::look_for_end()
{
    if (!replica_ || dying_) return;
    const auto why = replica_->end();
    if (!why) return;
    notes_.note("operator", "has ended by itself: " + *why);
    ends_.push_back(*why);
    const auto doublings = std::min(static_cast<unsigned>(ends_.size()) - 1, most_doublings);
    end_operator(false, first_pause * (1 << doublings));
}

bool world::advance_to(time_point end)
{
    for (;;) {
        if (run_one()) {
            if (++steps_ > most_handlers) return false;
            if (std::exchange(changed_, false) && on_change_) on_change_();
            continue;
        }
        look_for_end();
        if (dying_) continue;
        auto next = clock_->next_event().value_or(end);
        if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first);
        if (next > end) break;
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
