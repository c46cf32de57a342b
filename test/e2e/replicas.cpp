// End-to-end tests of several replicas, each a process of its own, that are killed and stopped: elections and shards.
#include "cluster.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::e2e;
using namespace std::chrono_literals;
using untyped::config_map;

namespace {

/// The lease duration of both, and the second that a take-over may take beyond it.
constexpr auto failover = 16s;
constexpr auto hand_over = 1s;

/// The lines of all replicas, in the order in which they arrive.
class journal
{
public:
    explicit journal(cluster& c) : cluster_(c) {}
    void add(const std::string& who, const std::string& line)
    {
        {
            std::lock_guard lock(mutex_);
            lines_.emplace_back(who, line);
        }
        cluster_.changed();
    }
    [[nodiscard]] bool has(const std::string& who, const std::string& line) const
    {
        std::lock_guard lock(mutex_);
        return std::find(lines_.begin(), lines_.end(), std::pair(who, line)) != lines_.end();
    }
    [[nodiscard]] std::size_t size() const
    {
        std::lock_guard lock(mutex_);
        return lines_.size();
    }
    /// Keys whose runs began in lines from there on, by replica.
    [[nodiscard]] std::map<std::string, std::set<std::string>> begun(std::size_t from = 0) const
    {
        std::lock_guard lock(mutex_);
        std::map<std::string, std::set<std::string>> out;
        for (auto at = lines_.begin() + static_cast<std::ptrdiff_t>(from); at != lines_.end(); ++at)
            if (at->second.starts_with("begin ")) out[at->first].insert(at->second.substr(6));
        return out;
    }
    /// A replica is gone, and with it its runs.
    void bury(const std::string& who)
    {
        std::lock_guard lock(mutex_);
        lines_.emplace_back(who, "gone");
    }
    /// A key in whose runs two replicas were at a time; empty = none.
    [[nodiscard]] std::string shared() const
    {
        std::lock_guard lock(mutex_);
        std::map<std::string, std::set<std::string>> running;
        for (const auto& [who, line] : lines_) {
            if (line.starts_with("begin ") && running[line.substr(6)].insert(who).second &&
                running[line.substr(6)].size() > 1)
                return line.substr(6);
            if (line.starts_with("end ")) running[line.substr(4)].erase(who);
            if (line != "gone") continue;
            for (auto& [key, by] : running) by.erase(who);
        }
        return {};
    }

private:
    cluster& cluster_;
    mutable std::mutex mutex_;
    std::vector<std::pair<std::string, std::string>> lines_;
};

/// A process of kubecoro_e2e_replica.
class replica
{
public:
    replica(journal& j, const std::string& mode, const std::string& ns, std::string identity)
        : journal_(j), identity_(std::move(identity))
    {
        std::array<int, 2> out{};
        REQUIRE(::pipe2(out.data(), O_CLOEXEC) == 0);
        pid_ = ::fork();
        if (pid_ == 0) { // only calls that are allowed between fork and exec of a program with threads
            ::dup2(out[1], STDOUT_FILENO);
            ::execl(KUBECORO_REPLICA, KUBECORO_REPLICA, mode.c_str(), ns.c_str(), identity_.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(out[1]);
        reading_ = std::thread([this, from = out[0]] { read(from); });
    }
    ~replica()
    {
        if (pid_ > 0) end(SIGKILL);
    }
    replica(const replica&) = delete;
    replica& operator=(const replica&) = delete;

    void signal(int which) const { ::kill(pid_, which); }
    /// Sends a signal that ends it, and waits for the end.
    void end(int which)
    {
        signal(which);
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        reading_.join();
        journal_.bury(identity_);
    }
    [[nodiscard]] const std::string& name() const noexcept { return identity_; }

private:
    void read(int from)
    {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(::fdopen(from, "r"), &std::fclose);
        std::string line;
        for (int c = std::fgetc(in.get()); c != EOF; c = std::fgetc(in.get())) {
            if (c != '\n')
                line += static_cast<char>(c);
            else
                journal_.add(identity_, std::exchange(line, {}));
        }
    }

    journal& journal_;
    std::string identity_;
    pid_t pid_ = -1;
    std::thread reading_;
};

std::unique_ptr<replica> make_replica(journal& j, const std::string& mode, const std::string& ns, std::string identity)
{
    return std::make_unique<replica>(j, mode, ns, std::move(identity));
}

/// Creates config maps that replicas work on, or changes them.
std::set<std::string> write_maps(cluster& c, const std::string& ns, int count, int version)
{
    std::set<std::string> names;
    for (int i = 0; i < count; ++i) {
        const auto name = "map-" + std::to_string(i);
        names.insert(name);
        auto body = new_object(config_map::resource(), {ns, name});
        field(body, "metadata", "labels", "swept") = "yes";
        field(body, "data", "version") = std::to_string(version);
        json_text text{boost::json::value(std::move(body))};
        const auto written = version == 0 ? c.run(c.api().create(config_map::resource(), ns, std::move(text)))
                                          : c.run(c.api().update(config_map::resource(), ns, name, std::move(text)));
        REQUIRE(written.has_value());
    }
    return names;
}

std::set<std::string> together(const std::map<std::string, std::set<std::string>>& all)
{
    std::set<std::string> out;
    for (const auto& [who, keys] : all) out.insert(keys.begin(), keys.end());
    return out;
}

} // namespace

TEST_CASE("election: a leader that is killed is followed after its Lease, one that stops at once", "[replicas]")
{
    cluster c;
    const auto ns = c.make_namespace("election");
    journal lines(c);
    const auto first = make_replica(lines, "elect", ns, "first");
    REQUIRE(c.eventually([&] { return lines.has("first", "leads"); }));
    const auto second = make_replica(lines, "elect", ns, "second");
    std::this_thread::sleep_for(3s); // rule aside: it has to have seen the Lease
    CHECK_FALSE(lines.has("second", "leads"));
    first->end(SIGKILL);
    CHECK(c.eventually([&] { return lines.has("second", "leads"); }, failover));
    const auto third = make_replica(lines, "elect", ns, "third");
    std::this_thread::sleep_for(3s); // rule aside: as above
    CHECK_FALSE(lines.has("third", "leads"));
    second->signal(SIGTERM);
    CHECK(c.eventually([&] { return lines.has("third", "leads"); }, hand_over));
    second->end(SIGTERM);
    third->end(SIGTERM);
}

TEST_CASE("shards: three replicas divide the keys, and two take over those of one that is killed", "[replicas]")
{
    constexpr int maps = 60;
    cluster c;
    const auto ns = c.make_namespace("shards");
    const auto names = write_maps(c, ns, maps, 0);
    journal lines(c);
    std::vector<std::unique_ptr<replica>> all;
    for (const auto* identity : {"first", "second", "third"})
        all.push_back(make_replica(lines, "divide", ns, identity));
    const auto all_settled = [&](const std::string& text) {
        return std::all_of(all.begin(), all.end(), [&](const auto& r) { return lines.has(r->name(), text); });
    };
    REQUIRE(c.eventually([&] { return all_settled("settled 3"); }));
    REQUIRE(c.eventually([&] { return together(lines.begun()) == names; }));

    // Each key that changes is run by one of them.
    auto from = lines.size();
    write_maps(c, ns, maps, 1);
    REQUIRE(c.eventually([&] { return together(lines.begun(from)) == names; }));
    const auto before = lines.begun(from);
    CHECK(before.size() == 3);
    std::size_t runs = 0;
    for (const auto& [who, keys] : before) runs += keys.size();
    CHECK(runs == names.size());

    from = lines.size();
    all.front()->end(SIGKILL);
    const auto lost = before.at("first");
    all.erase(all.begin());
    CHECK(c.eventually([&] { return together(lines.begun(from)) == lost; }, failover));
    REQUIRE(c.eventually([&] { return all_settled("settled 2"); }));

    // One that leaves hands its keys over at once.
    all.front()->signal(SIGTERM);
    REQUIRE(c.eventually([&] { return lines.has("third", "settled 1"); }, 2 * hand_over));
    all.front()->end(SIGTERM);
    from = lines.size();
    write_maps(c, ns, maps, 2);
    REQUIRE(c.eventually([&] { return lines.begun(from)["third"] == names; }));
    CHECK(lines.shared() == "");
    all.back()->end(SIGTERM);
}
