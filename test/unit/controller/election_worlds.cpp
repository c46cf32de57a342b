// Random worlds of five candidates around one Lease: clocks of different rates, messages that are late or lost, answers that are
// lost, partitions, a server that restarts, pauses, crashes, stops. Cores alone, so that a world takes a fraction of a millisecond.
#include "election_script.hpp"
#include "random_world.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>

using namespace election_core_test;
using replica_test::seconds_d;

namespace {

/// Clocks run at 0.9 to 1.1 of true time. By the bound of docs/guide/election.md the work then has 15/1.1 - 10/0.9 s to end.
constexpr double slowest = 0.9;
constexpr double fastest = 1.1;
constexpr double work_ends_within = 15 / fastest - 10 / slowest - 0.01;

class world : replica_test::random_world
{
public:
    explicit world(std::uint64_t seed, bool pauses) : random_world(seed), pauses_(pauses)
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) at(unit() * 30, [this, i] { join(i); });
        for (int i = 0; i < 12; ++i) at(unit() * 300, [this] { disturb(); });
    }
    /// Empty, or the first broken promise.
    std::string run()
    {
        while (perform_next()) look();
        if (broken_.empty() && workers() != 1)
            broken_ = "not one leader three minutes after the last fault: " + picture();
        return broken_;
    }
    int terms = 0;
    int losses = 0;

private:
    struct node
    {
        std::unique_ptr<leader_election_core> core;
        std::string identity;
        std::uint64_t life = 0; // counts restarts, so that events of a former life are void
        double rate = 1;
        double wake = -1;
        double paused_until = 0;
        double cut_until = 0;
        bool working = false;
        bool cancelled = false;
        std::uint64_t request = 0;
        lease_state known;
    };

    time_point local(const node& n) const { return replica_test::local_time(now_, n.rate); }
    int workers() const
    {
        int out = 0;
        for (const auto& n : nodes_) out += n.working ? 1 : 0;
        return out;
    }

    std::string picture() const
    {
        std::string out = lease_ ? "the lease is held by '" + lease_->record.holder + '\'' : "no lease";
        for (const auto& n : nodes_) {
            out += "; " + n.identity;
            if (n.core)
                out += " phase " + std::to_string(static_cast<int>(n.core->phase())) + ", sees " + n.core->leader();
            if (n.working) out += ", works";
        }
        return out;
    }
    void look()
    {
        int acting = 0;
        for (const auto& n : nodes_)
            acting += n.working && now_ >= n.paused_until && local(n) < n.core->leads_until() ? 1 : 0;
        if (acting > 1) broken("two leaders whose check() succeeds");
        if (!pauses_ && workers() > 1) broken("two leaders at work");
    }

    void join(std::size_t i)
    {
        auto& n = nodes_[i];
        const auto life = n.life + 1;
        n = node();
        n.life = life;
        n.identity = std::to_string(i) + '_' + std::to_string(n.life);
        n.rate = slowest + (fastest - slowest) * unit();
        auto s = usual();
        s.identity = n.identity;
        s.grace = std::chrono::seconds(static_cast<int>(unit() * 10));
        n.core = std::make_unique<leader_election_core>(s, random_());
        n.core->watched(unit() < 0.5);
        step(i);
    }
    void leave(std::size_t i)
    {
        auto& n = nodes_[i];
        n.working = false;
        n.core.reset();
        const auto life = ++n.life;
        at(now_ + 0.1 + unit() * 30, [this, i, life] {
            if (nodes_[i].life == life) join(i);
        });
    }
    void disturb()
    {
        if (quiet_) return;
        const auto i = static_cast<std::size_t>(unit() * 5);
        auto& n = nodes_[i];
        const double what = unit();
        if (what < 0.2)
            server_down_until_ = now_ + unit() * 30;
        else if (!n.core)
            return;
        else if (what < 0.4)
            n.cut_until = now_ + unit() * 40;
        else if (what < 0.6)
            leave(i); // killed
        else if (what < 0.8 && pauses_) {
            n.paused_until = now_ + unit() * 30;
            const auto life = n.life;
            at(n.paused_until, [this, i, life] { alive(i, life); });
        } else {
            n.core->stop(local(n));
            step(i);
        }
    }
    void alive(std::size_t i, std::uint64_t life)
    {
        if (nodes_[i].life == life && nodes_[i].core) step(i);
    }

    /// Performs steps until the core waits.
    void step(std::size_t i)
    {
        auto& n = nodes_[i];
        const auto life = n.life;
        while (n.core && n.life == life && now_ >= n.paused_until) {
            auto next = n.core->next(local(n));
            if (const auto* w = std::get_if<step::wait>(&next)) {
                if (w->until)
                    at(replica_test::true_time(*w->until, n.rate) + 1e-6, [this, i, life] { alive(i, life); });
                return;
            }
            perform(i, next);
        }
    }
    void perform(std::size_t i, const step::any& next)
    {
        auto& n = nodes_[i];
        const auto life = n.life;
        if (const auto* s = std::get_if<step::start_work>(&next)) {
            ++terms;
            const auto token = std::stoull(s->lease.resource_version);
            if (token <= last_token_) broken("a fencing token that does not grow");
            last_token_ = token;
            n.working = true;
            n.cancelled = false;
        } else if (const auto* e = std::get_if<step::end_work>(&next)) {
            if (!e->why) ++losses;
            if (e->why && unit() < 0.7) end_work(i, unit() * 15);
        } else if (std::holds_alternative<step::cancel_work>(next)) {
            end_work(i, unit() * work_ends_within);
        } else if (std::holds_alternative<step::abandon_request>(next)) {
            answer(i, life, n.request, failure(cond::cancelled));
        } else if (std::holds_alternative<step::finish>(next)) {
            if (n.working) broken("the end of an election whose work goes on");
            leave(i);
        } else if (!std::holds_alternative<step::announce>(next)) {
            request(i, next);
        }
    }
    void end_work(std::size_t i, double later)
    {
        const auto life = nodes_[i].life;
        at(now_ + later, [this, i, life] {
            auto& n = nodes_[i];
            if (n.life != life || !n.working) return;
            if (now_ < n.paused_until) return end_work(i, n.paused_until - now_);
            n.working = false;
            n.core->work_ended(local(n));
            step(i);
        });
    }

    void request(std::size_t i, const step::any& what)
    {
        auto& n = nodes_[i];
        const auto life = n.life;
        const auto id = ++n.request;
        duration limit{};
        std::optional<lease_change> change;
        bool creates = false;
        if (const auto* g = std::get_if<step::get>(&what)) limit = g->limit;
        if (const auto* c = std::get_if<step::create>(&what)) limit = c->limit, change = c->what, creates = true;
        if (const auto* u = std::get_if<step::update>(&what)) limit = u->limit, change = u->what;
        const auto version = n.known.resource_version;
        at(now_ + seconds_d(limit).count() / n.rate + 1e-6,
           [this, i, life, id] { answer(i, life, id, failure(cond::timed_out)); });
        const auto trip = [this] { return unit() < 0.9 || quiet_ ? unit() * 0.3 : unit() * 8; };
        if (is_cut(n)) return;
        at(now_ + trip(), [this, i, life, id, change, creates, version, trip] {
            if (now_ < server_down_until_) return;
            auto out = serve(i, life, change, creates, version);
            if (is_cut(nodes_[i])) return;
            at(now_ + trip(), [this, i, life, id, out] { answer(i, life, id, out); });
        });
    }
    bool is_cut(const node& n) { return !quiet_ && (now_ < n.cut_until || unit() < 0.02); }

    result<lease_state> serve(std::size_t i, std::uint64_t life, const std::optional<lease_change>& change,
                              bool creates, const std::string& version)
    {
        if (creates && lease_) return failure(cond::already_exists);
        if (!creates && !lease_) return failure(cond::not_found);
        if (!change) return *lease_;
        if (!creates && lease_->resource_version != version) return failure(cond::conflict);
        const auto& n = nodes_[i];
        if (change->holder.empty() && n.life == life && n.working) broken("released while the work goes on");
        lease_state next;
        next.record = {change->holder, change->duration_seconds, {}, std::to_string(++version_), change->transitions};
        next.resource_version = std::to_string(version_);
        next.uid = "u";
        lease_ = next;
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            const auto whose = nodes_[k].life;
            if (unit() < 0.8) at(now_ + unit() * 2, [this, k, whose, next] { show(k, whose, next); });
        }
        return next;
    }
    void show(std::size_t i, std::uint64_t life, const lease_state& lease)
    {
        auto& n = nodes_[i];
        if (n.life != life || !n.core || now_ < n.paused_until || is_cut(n)) return;
        n.core->seen(local(n), lease);
        step(i);
    }
    void answer(std::size_t i, std::uint64_t life, std::uint64_t id, const result<lease_state>& a)
    {
        auto& n = nodes_[i];
        if (n.life != life || !n.core || n.request != id) return;
        if (now_ < n.paused_until) return at(n.paused_until, [this, i, life, id, a] { answer(i, life, id, a); });
        ++n.request; // whichever comes first is the answer
        if (a) n.known = *a;
        n.core->answered(local(n), a);
        step(i);
    }

    bool pauses_;
    double server_down_until_ = 0;
    std::array<node, 5> nodes_;
    std::optional<lease_state> lease_;
    int version_ = 0;
    std::uint64_t last_token_ = 0;
};

} // namespace

TEST_CASE("leader election worlds: never two leaders at work, none released early, and always one in the end",
          "[election]")
{
    const std::uint64_t worlds = std::getenv("KUBECORO_LONG") != nullptr ? 20'000 : 1'000;
    int terms = 0;
    int losses = 0;
    for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
        world w(seed, seed % 2 == 0);
        const auto broken = w.run();
        INFO("seed " << seed << ": " << broken);
        REQUIRE(broken.empty());
        terms += w.terms;
        losses += w.losses;
    }
    // They do meet what they are for.
    CHECK(terms > static_cast<int>(worlds) * 3);
    CHECK(losses > static_cast<int>(worlds) / 4);
}
