#include <kubecoro/controller/leader_elector.hpp>

#include "election/election_engine.hpp"

#include <chrono>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

leader_elector::leader_elector(asio::any_io_executor executor, client cluster, leader_election_options options)
    : engine_(std::make_shared<election_engine>(std::move(executor), std::move(cluster), std::move(options)))
{
}

leader_elector::leader_elector(leader_elector&&) noexcept = default;

leader_elector::~leader_elector()
{
    if (engine_) election_engine::abandon(engine_);
}

asio::awaitable<result<>> leader_elector::run(leader_work work)
{
    return election_engine::run(engine_, std::move(work));
}

asio::awaitable<result<>> leader_elector::stop()
{
    request_stop();
    return election_engine::over(engine_);
}

void leader_elector::request_stop() { engine_->request_stop(false); }
void leader_elector::request_stop_at_once() { engine_->request_stop(true); }
asio::awaitable<result<>> leader_elector::leading() const { return election_engine::leading(engine_); }

asio::awaitable<result<std::string>> leader_elector::new_leader(kept_text known) const
{
    return election_engine::new_leader(engine_, std::move(known));
}

bool leader_elector::leads() const { return engine_->leads(); }
const std::string& leader_elector::identity() const noexcept { return engine_->identity(); }
result<> leader_elector::healthy(duration tolerance) const { return engine_->healthy(tolerance); }
leader_stats leader_elector::stats() const { return engine_->stats(); }
std::string leader_elector::describe() const { return kubecoro::describe(stats()); }

std::string_view to_string(leader_phase p) noexcept
{
    switch (p) {
    case leader_phase::idle:
        return "idle";
    case leader_phase::candidate:
        return "candidate";
    case leader_phase::leading:
        return "leading";
    case leader_phase::ending:
        return "ending";
    case leader_phase::lost:
        return "lost";
    case leader_phase::releasing:
        break;
    }
    return "releasing";
}

std::string describe(const leader_stats& s)
{
    std::string out = s.identity + ": " + std::string(to_string(s.phase));
    out += s.leader.empty() ? "; no leader" : "; leader " + s.leader;
    out += ", " + std::to_string(s.transitions) + " transitions";
    if (s.since_renewal != duration::zero()) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(s.since_renewal).count();
        out += ", renewed " + std::to_string(ms) + " ms ago";
    }
    if (s.trouble) out += "; " + s.trouble->describe();
    return out;
}

} // namespace kubecoro
