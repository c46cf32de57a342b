// Random worlds of five members that divide 24 keys: clocks of different rates, messages that are late or lost, answers that are
// lost, partitions, a server that restarts, pauses, crashes, stops, and names that come back. Cores alone.
#include "random_world.hpp"
#include "shard_script.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

using namespace shard_core_test;
using replica_test::seconds_d;

namespace {

/// Clocks run at 0.9 to 1.1 of true time. By the bound of docs/guide/shards.md a cancelled run then has 15/1.1 - 10/0.9 s to end.
constexpr double slowest = 0.9;
constexpr double fastest = 1.1;
constexpr double run_ends_within = 15 / fastest - 10 / slowest - 0.01;
constexpr int keys = 24;
constexpr int most_events = 100'000;

/// A run, in true time. Outside of the share it ends by itself or soon after it is cancelled.
struct running
{
    static constexpr double never = 1e9;
    double ends_at = never;
    double cancelled_at = never;
};

struct node
{
    std::unique_ptr<shard_core> core;
    std::string name;
    std::uint64_t life = 0; // counts restarts, so that events of a former life are void
    double rate = 1;
    double paused_until = 0;
    double cut_until = 0;
    bool watching = false;
    std::uint64_t alarm = 0;
    std::uint64_t request = 0;
    std::string version; // of the own Lease
    shard_share share = {};
    std::uint64_t epoch = 0;
    std::map<int, running> runs = {};
};

class world : replica_test::random_world
{
public:
    world(std::uint64_t seed, bool pauses) : random_world(seed), pauses_(pauses)
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) at(unit() * 30, [this, i] { join(i); });
        for (int i = 0; i < 14; ++i) at(unit() * 300, [this] { disturb(); });
    }
    /// Empty, or the first broken promise.
    std::string run()
    {
        while (perform_next()) {
            if (std::exchange(changed_, false)) look();
            if (++happened_ > most_events) broken("it does not come to rest" + picture());
        }
        if (broken_.empty()) look_at_the_end();
        return broken_;
    }
    int losses = 0;
    int suspensions = 0;
    int moves = 0;
    int evictions = 0;

private:
    time_point local(const node& n) const { return replica_test::local_time(now_, n.rate); }

    void look()
    {
        for (int k = 0; k < keys; ++k) {
            int working = 0;
            int acting = 0;
            for (const auto& n : nodes_) {
                if (!n.core || !n.runs.contains(k)) continue;
                ++working;
                acting += now_ >= n.paused_until && n.core->works(local(n)) && n.share.covers(key(k)) ? 1 : 0;
            }
            if (acting > 1) broken("two members whose check() succeeds for key " + std::to_string(k) + picture());
            if (!pauses_ && working > 1) broken("two members work on key " + std::to_string(k) + picture());
        }
    }
    void look_at_the_end()
    {
        for (int k = 0; k < keys; ++k) {
            std::size_t working = 0;
            for (const auto& n : nodes_) working += n.runs.count(k);
            if (working != 1)
                broken("key " + std::to_string(k) + " is worked on by " + std::to_string(working) + picture());
        }
        for (const auto& n : nodes_)
            if (n.core && !n.core->settled()) broken("not settled" + picture());
    }
    std::string picture() const
    {
        std::string out;
        for (const auto& n : nodes_) {
            out += "; " + n.name;
            if (!n.core) continue;
            out += " phase " + std::to_string(static_cast<int>(n.core->phase())) + " members " +
                   std::to_string(n.core->members()) + (n.core->settled() ? " settled" : "") + " runs";
            for (const auto& [k, r] : n.runs) out += " " + std::to_string(k);
        }
        out += "; server";
        for (const auto& [id, l] : leases_) out += " " + l.record.holder + "=" + (l.view ? view_text(*l.view) : "?");
        return out;
    }

    void join(std::size_t i)
    {
        auto& n = nodes_[i];
        const auto life = n.life + 1;
        const bool same_name = !n.name.empty() && unit() < 0.4;
        auto name = same_name ? n.name : std::to_string(i) + '_' + std::to_string(life);
        n = node();
        n.life = life;
        n.name = std::move(name);
        n.rate = slowest + (fastest - slowest) * unit();
        auto s = usual();
        s.id = shard_hash(n.name);
        s.holder = n.name + "_" + std::to_string(life);
        s.grace = std::chrono::seconds(static_cast<int>(unit() * 10));
        n.core = std::make_unique<shard_core>(s, random_());
        n.watching = unit() < 0.7;
        n.core->watched(n.watching);
        step(i);
    }
    void leave(std::size_t i)
    {
        auto& n = nodes_[i];
        if (n.core) {
            losses += static_cast<int>(n.core->losses());
            suspensions += static_cast<int>(n.core->suspensions());
            evictions += static_cast<int>(n.core->evictions());
        }
        n.runs.clear();
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
        else if (what < 0.45)
            n.cut_until = now_ + unit() * 40;
        else if (what < 0.6)
            leave(i); // killed
        else if (what < 0.75 && pauses_) {
            n.paused_until = now_ + unit() * 30;
            const auto life = n.life;
            at(n.paused_until, [this, i, life] { alive(i, life); });
        } else {
            unit() < 0.5 ? n.core->stop() : n.core->stop_at_once();
            step(i);
        }
    }
    /// Replaces the alarm that was set before.
    void wake_at(std::size_t i, double when)
    {
        const auto alarm = ++nodes_[i].alarm;
        const auto life = nodes_[i].life;
        at(when, [this, i, alarm, life] {
            if (nodes_[i].alarm == alarm) alive(i, life);
        });
    }
    void alive(std::size_t i, std::uint64_t life)
    {
        changed_ = true;
        if (nodes_[i].life == life && nodes_[i].core) step(i);
    }

    void step(std::size_t i)
    {
        auto& n = nodes_[i];
        const auto life = n.life;
        while (n.core && n.life == life && now_ >= n.paused_until) {
            auto next = n.core->next(local(n));
            if (const auto* w = std::get_if<step::wait>(&next)) {
                if (w->until) wake_at(i, replica_test::true_time(*w->until, n.rate) + 1e-6);
                return;
            }
            if (const auto* a = std::get_if<step::assign>(&next)) {
                assign(i, *a);
            } else if (std::holds_alternative<step::finish>(next)) {
                if (!n.runs.empty()) broken("left while its work goes on");
                return leave(i);
            } else {
                request(i, next);
            }
        }
    }

    /// Runs that may go on are left alone; others end in their own time, or soon after they are cancelled.
    void assign(std::size_t i, const step::assign& a)
    {
        auto& n = nodes_[i];
        changed_ = true;
        n.share = a.share;
        n.epoch = a.epoch;
        const double cancel_at = now_ + seconds_d(a.patience).count() / n.rate;
        for (int k = 0; k < keys; ++k) {
            if (n.share.covers(key(k))) {
                const auto [run, is_new] = n.runs.try_emplace(k);
                run->second = running();
                moves += is_new ? 1 : 0;
            } else if (const auto run = n.runs.find(k); run != n.runs.end()) {
                put_outside(i, k, run->second, cancel_at);
            }
        }
        tell_if_drained(i);
    }
    /// As run_gate does it: a run that is outside already keeps its time, unless the new one is earlier.
    void put_outside(std::size_t i, int k, running& r, double cancel_at)
    {
        if (r.ends_at == running::never) r.ends_at = now_ + unit() * 15;
        if (cancel_at >= r.cancelled_at) return;
        r.cancelled_at = cancel_at;
        if (r.ends_at > cancel_at) r.ends_at = cancel_at + unit() * run_ends_within;
        end_run(i, k, r.ends_at);
    }
    void end_run(std::size_t i, int k, double when)
    {
        const auto life = nodes_[i].life;
        at(when, [this, i, k, life] {
            auto& n = nodes_[i];
            const auto run = n.runs.find(k);
            if (n.life != life || run == n.runs.end() || now_ < run->second.ends_at) return;
            if (now_ < n.paused_until) return end_run(i, k, n.paused_until + 1e-6);
            n.runs.erase(run);
            tell_if_drained(i);
            step(i);
        });
    }
    void tell_if_drained(std::size_t i)
    {
        auto& n = nodes_[i];
        for (const auto& [k, r] : n.runs)
            if (!n.share.covers(key(k))) return;
        n.core->drained(n.epoch);
    }

    void request(std::size_t i, const step::any& what)
    {
        auto& n = nodes_[i];
        const auto life = n.life;
        const auto id = ++n.request;
        const auto limit = std::visit(
            [](const auto& s) {
                if constexpr (requires { s.limit; })
                    return s.limit;
                else
                    return duration{};
            },
            what);
        at(now_ + seconds_d(limit).count() / n.rate + 1e-6,
           [this, i, life, id, what] { answer(i, life, id, what, failure(cond::timed_out)); });
        const auto trip = [this] { return unit() < 0.9 || quiet_ ? unit() * 0.3 : unit() * 8; };
        if (is_cut(n)) return;
        const auto sent = std::make_shared<served>(served{shard_hash(n.name), holder_of(n), n.version});
        at(now_ + trip(), [this, i, life, id, what, sent, trip] {
            if (now_ < server_down_until_) return;
            auto out = serve(*sent, what);
            if (is_cut(nodes_[i])) return;
            at(now_ + trip(), [this, i, life, id, what, out] { answer(i, life, id, what, out); });
        });
    }
    bool is_cut(const node& n) { return !quiet_ && (now_ < n.cut_until || unit() < 0.02); }
    static std::string holder_of(const node& n) { return n.name + "_" + std::to_string(n.life); }

    struct served
    {
        member_id id;
        std::string holder;
        std::string version;
    };
    result<shard_listing> serve(const served& by, const step::any& what)
    {
        shard_listing out;
        out.resource_version = std::to_string(version_);
        if (std::holds_alternative<step::list>(what)) {
            for (const auto& [id, l] : leases_) out.leases.push_back(l);
            return out;
        }
        if (const auto* r = std::get_if<step::remove>(&what)) {
            const auto found = leases_.find(r->id);
            if (found == leases_.end()) return failure(cond::not_found);
            if (found->second.resource_version != r->resource_version) return failure(cond::conflict);
            ++version_;
            for (std::size_t k = 0; k < nodes_.size(); ++k) {
                const auto whose = nodes_[k].life;
                const auto gone = found->second;
                at(now_ + unit() * 2, [this, k, whose, gone] { show_deleted(k, whose, gone); });
            }
            leases_.erase(found);
            return out;
        }
        const auto* made = std::get_if<step::create>(&what);
        const auto found = leases_.find(by.id);
        if (made != nullptr && found != leases_.end()) return failure(cond::already_exists);
        if (made == nullptr && found == leases_.end()) return failure(cond::not_found);
        if (made == nullptr && found->second.resource_version != by.version) return failure(cond::conflict);
        shard_lease next;
        next.id = by.id;
        next.resource_version = std::to_string(++version_);
        next.record = {by.holder, 15, {}, next.resource_version, 0};
        next.view = made != nullptr ? made->view : std::get<step::update>(what).view;
        next.uid = made != nullptr ? "u" + next.resource_version : found->second.uid;
        leases_[by.id] = next;
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            const auto whose = nodes_[k].life;
            if (unit() < 0.8) at(now_ + unit() * 2, [this, k, whose, next] { show(k, whose, next); });
        }
        out.leases.push_back(next);
        return out;
    }
    bool sees(std::size_t i, std::uint64_t life)
    {
        auto& n = nodes_[i];
        return n.life == life && n.core && n.watching && now_ >= n.paused_until && !is_cut(n);
    }
    void show(std::size_t i, std::uint64_t life, const shard_lease& lease)
    {
        if (!sees(i, life)) return;
        nodes_[i].core->seen(local(nodes_[i]), lease);
        step(i);
    }
    void show_deleted(std::size_t i, std::uint64_t life, const shard_lease& lease)
    {
        if (!sees(i, life)) return;
        nodes_[i].core->seen_deleted(lease.id, lease.uid);
        step(i);
    }
    void answer(std::size_t i, std::uint64_t life, std::uint64_t id, const step::any& what,
                const result<shard_listing>& a)
    {
        auto& n = nodes_[i];
        if (n.life != life || !n.core || n.request != id) return;
        if (now_ < n.paused_until)
            return at(n.paused_until, [this, i, life, id, what, a] { answer(i, life, id, what, a); });
        ++n.request; // whichever comes first is the answer
        if (std::holds_alternative<step::list>(what)) {
            if (a)
                for (const auto& l : a->leases)
                    if (l.record.holder == holder_of(n)) n.version = l.resource_version;
            n.core->listed(local(n), a);
        } else if (std::holds_alternative<step::remove>(what)) {
            n.core->removed(local(n), a ? result<>() : result<>(a.error()));
        } else {
            if (a) n.version = a->leases.front().resource_version;
            n.core->written(local(n), a ? result<shard_lease>(a->leases.front()) : result<shard_lease>(a.error()));
        }
        step(i);
    }

    bool pauses_;
    bool changed_ = false;
    int happened_ = 0;
    double server_down_until_ = 0;
    std::array<node, 5> nodes_;
    std::map<member_id, shard_lease> leases_;
    int version_ = 100;
};

} // namespace

TEST_CASE("shard worlds: every key is worked on by one member at a time, and none is forgotten", "[shards]")
{
    const std::uint64_t worlds = std::getenv("KUBECORO_LONG") != nullptr ? 10'000 : 300;
    int losses = 0, suspensions = 0, moves = 0, evictions = 0;
    for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
        world w(seed, seed % 2 == 0);
        const auto broken = w.run();
        INFO("seed " << seed << ": " << broken);
        REQUIRE(broken.empty());
        losses += w.losses;
        suspensions += w.suspensions;
        moves += w.moves;
        evictions += w.evictions;
    }
    // They do meet what they are for.
    const auto all = static_cast<int>(worlds);
    CHECK(moves > all * keys * 3);
    CHECK(losses > all / 4);
    CHECK(suspensions > all / 4);
    CHECK(evictions > all / 4);
}
