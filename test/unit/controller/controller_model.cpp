// Random programs: no key ever runs twice at once, and every change has a run at or after its version.
#include "controller_fixture.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <cstdlib>
#include <optional>
#include <set>
#include <stdexcept>

using namespace controller_test;

namespace {

constexpr int names = 6;

/// Compares what the reconciler has seen with what the server has sent.
struct ledger
{
    struct line
    {
        int active = 0;
        /// The newest version that the server has sent, and the newest that a successful run has found in the store.
        int sent = 0;
        int reconciled = 0;
        /// The last write of a run of this key, until its next run, which must find it or come late.
        int written = 0;
        time_point written_at = {};
    };
    std::map<std::string, line> lines;
    std::string broken;

    void complain(const std::string& key, const std::string& what)
    {
        if (broken.empty()) broken = key + ": " + what;
    }
};

class program
{
public:
    explicit program(std::uint64_t seed) : chance_(seed)
    {
        std::vector<object> listed;
        for (int n = 0; n < names; ++n)
            if (chance(2)) listed.push_back(next_version(n));
        auto [pods, watch] = f_.pods(std::move(listed), std::to_string(version_));
        pods_ = pods;
        watch_ = watch;
        controller_options o;
        o.workers = 1 + pick(3);
        o.grace = std::chrono::seconds(pick(3));
        o.own_write_wait = 5s;
        if (chance(2)) o.deadline = 700ms;
        f_.make([this](const object_key& key, reconcile_context& c) { return reconcile(*this, key, c); }, std::move(o));
        source_ = f_.subject->watch(*pods_, enqueue_object());
    }

    /// @return the first violation; empty = none.
    std::string run()
    {
        f_.informers->start();
        f_.subject->start();
        for (int n = 0; n < 150 && book_.broken.empty(); ++n) step();
        calm_ = true;
        flush();
        if (!source_) add_source();
        f_.run.advance(1h);
        for (const auto& [key, l] : book_.lines) {
            if (l.active != 0) book_.complain(key, "still runs");
            if (l.reconciled < l.sent && !excused_.contains(key))
                book_.complain(key,
                               "reconciled at " + std::to_string(l.reconciled) + ", not at " + std::to_string(l.sent));
        }
        if (f_.subject->stats().behind_own_writes != 0) book_.complain("", "a key still waits for a write");
        const bool busy = chance(2);
        if (busy) trouble();
        (void)f_.run.run(f_.subject->stop());
        for (const auto& [key, l] : book_.lines)
            if (l.active != 0) book_.complain(key, "runs after the stop");
        if (f_.subject->stats().queue.processing != 0) book_.complain("", "a key is processed after the stop");
        return book_.broken;
    }

private:
    static run_task reconcile(program& self, object_key key, reconcile_context& context)
    {
        auto& l = self.book_.lines[key.name];
        if (++l.active != 1) self.book_.complain(key.name, "has two concurrent runs");
        struct leave
        {
            ledger::line& of;
            ~leave() { --of.active; }
        };
        const leave leaving{l};
        const auto stored = self.pods_->lister().get(key);
        const int found = stored ? std::atoi(std::string(stored.resource_version()).c_str()) : self.gone(key.name);
        // Deleted, and perhaps recreated since: a missing object is as old as the store.
        const int shown = stored ? found : std::atoi(self.pods_->last_resource_version().c_str());
        if (l.written > shown && self.f_.run.clock().now() < l.written_at + 5s)
            self.book_.complain(key.name, "does not see its own write");
        l.written = 0;
        if (self.chance(3)) {
            const auto rested = co_await sleep_for(self.f_.run.clock(), std::chrono::milliseconds(self.pick(1000)));
            if (!rested) co_return rested.error();
        }
        if (!self.calm_ && self.chance(5)) self.write(key, context);
        if (!self.calm_ && self.chance(4)) co_return failure(cond::conflict, "at random");
        if (!self.calm_ && self.chance(9)) throw std::runtime_error("thrown at random");
        l.reconciled = std::max(l.reconciled, found);
        if (!self.calm_ && self.chance(4)) co_return action::requeue_after(std::chrono::milliseconds(self.pick(900)));
        co_return action::done();
    }

    /// A run changes its object; the watch delivers the event later.
    void write(const object_key& key, reconcile_context& context)
    {
        const int n = std::atoi(key.name.c_str() + 1);
        const auto o = next_version(n);
        delayed_.push_back(kt::modified(o));
        exists(key.name);
        auto& l = book_.lines[key.name];
        l.written = source_ ? version_ : 0;
        l.written_at = f_.run.clock().now();
        context.wrote(o);
    }

    void step()
    {
        switch (pick(9)) {
        case 0:
        case 1:
        case 2:
            watch_.send(change(pick(names)));
            break;
        case 3:
        case 4:
            flush();
            break;
        case 5:
            f_.subject->trigger({"web", "p" + std::to_string(pick(names))}, chance(2) ? priority::high : priority::low);
            break;
        case 6:
            if (source_) {
                remove_source();
            } else {
                add_source();
            }
            break;
        case 7:
            f_.run.advance(std::chrono::milliseconds(pick(3000)));
            break;
        default:
            some_handlers(30);
            break;
        }
        if (delayed_.size() > 3) flush();
    }
    void trouble()
    {
        calm_ = false;
        for (int n = 0; n < 5; ++n) watch_.send(change(pick(names)));
        some_handlers(40);
    }
    /// Runs some of the ready handlers; time stands still.
    void some_handlers(int most)
    {
        for (int n = pick(most); n > 0 && f_.run.context().poll_one() != 0; --n) {
        }
    }
    /// The controller never learns of deletions that it has not processed yet; with no source left, nothing else is
    /// awaited.
    void remove_source()
    {
        source_->remove();
        source_.reset();
        for (const auto& [name, at] : deleted_)
            if (book_.lines[name].reconciled < at) excused_.insert(name);
        for (auto& [name, l] : book_.lines) l.written = 0;
    }
    void exists(const std::string& name)
    {
        deleted_.erase(name);
        excused_.erase(name);
    }
    void add_source() { source_ = f_.subject->watch(*pods_, enqueue_object()); }
    /// Delivers what runs have written. In order: nothing may be sent before it.
    void flush()
    {
        if (!delayed_.empty()) watch_.send(std::exchange(delayed_, {}));
    }
    watch_event change(int n)
    {
        flush();
        const std::string name = "p" + std::to_string(n);
        if (chance(4) && book_.lines[name].sent != 0 && !deleted_.contains(name)) {
            const auto o = next_version(n);
            deleted_[name] = version_;
            if (!source_ || source_->stats().state != source_state::synced) excused_.insert(name);
            return kt::deleted(o);
        }
        const bool again = deleted_.contains(name);
        exists(name);
        const bool known = book_.lines[name].sent != 0 && !again;
        const auto o = next_version(n);
        return known ? kt::modified(o) : kt::added(o);
    }
    object next_version(int n)
    {
        const std::string name = "p" + std::to_string(n);
        book_.lines[name].sent = ++version_;
        return kt::make_pod("web", name, std::to_string(version_));
    }
    /// The version at which a missing pod was deleted, if the store has reached it.
    int gone(const std::string& name)
    {
        const auto at = deleted_.find(name);
        const auto seen = std::atoi(pods_->last_resource_version().c_str());
        return at != deleted_.end() && at->second <= seen ? at->second : 0;
    }
    bool chance(unsigned one_in) { return chance_() % one_in == 0; }
    int pick(int n) { return static_cast<int>(chance_() % static_cast<unsigned>(n)); }

    ledger book_;
    std::map<std::string, int> deleted_;
    /// Keys deleted while no source was watching.
    std::set<std::string> excused_;
    detail::random_source chance_;
    int version_ = 10;
    bool calm_ = false;
    std::vector<watch_event> delayed_;
    fixture f_;
    std::optional<shared_informer<object>> pods_;
    kt::scripted_watch watch_;
    std::optional<event_source> source_;
};

} // namespace

TEST_CASE("controller: random programs satisfy every guarantee", "[controller][model]")
{
    // KUBECORO_SEED=n runs only that seed.
    const char* one = std::getenv("KUBECORO_SEED");
    const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
    const std::uint64_t last = one != nullptr ? first : 1'000;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        INFO("KUBECORO_SEED=" << seed);
        program p(seed);
        const auto broken = p.run();
        REQUIRE(broken == std::string());
    }
}
