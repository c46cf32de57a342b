// A program that lives: informers and a controller against a server that changes all the time and breaks now and then,
// with guests who come and go. Fails when its memory has grown, or when its stores are not what the server has.
#include "cluster.hpp"
#include "guests.hpp"
#include "memory.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <stdexcept>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

struct settings
{
    soak::cluster_settings cluster;
    std::size_t seconds = 600;
    bool any_drift = false;
};

class soak_run
{
public:
    soak_run(const settings& s, const cluster_config& where)
        : settings_(s),
          api_(client::create(pool_.get_executor(), where).value()),
          residents_(pool_.get_executor(), api_, s.cluster.seed, s.cluster.cycle_seconds),
          house_{residents_, api_, pool_.get_executor(), s.cluster.cycle_seconds}
    {
    }

    void begin()
    {
        must(residents_.start());
        for (const auto& g : guests_)
            visiting_.push_back(asio::co_spawn(
                asio::make_strand(pool_), soak::keep_visiting(house_, *g, settings_.cluster.seed + visiting_.size()),
                asio::use_future));
    }

    /// A sample a second. Throws what a guest has thrown.
    void live(soak::memory_record& memory)
    {
        for (std::size_t second = 1; second <= settings_.seconds; ++second) {
            if (visiting_.front().wait_for(1s) == std::future_status::ready) visiting_.front().get();
            const double resident = soak::resident_megabytes();
            memory.sample();
            const auto every = std::max<std::size_t>(settings_.seconds / 20, 1);
            if (second % every == 0)
                std::printf("%4zu s  %7.1f MB, resident %7.1f MB, allocated %7.1f MB, %s\n", second,
                            memory.median(second - every, every), resident, soak::allocated_megabytes(),
                            residents_.summary().c_str());
            std::fflush(stdout);
        }
    }

    void see_the_guests_off()
    {
        house_.closing = true;
        for (auto& v : visiting_) v.get();
        for (const auto& g : guests_) {
            std::printf("%-14s %6zu visits\n", g->name.c_str(), g->visits.load());
            if (g->visits == 0) throw std::runtime_error("no visit was finished: " + g->name);
        }
    }

    /// The cluster rests: what is stored becomes what it has.
    void end()
    {
        const auto deadline = real_clock()->now() + 30s;
        auto same = wait(residents_.compare());
        while (!same && real_clock()->now() < deadline) same = wait(residents_.compare());
        if (!same) throw std::runtime_error(same.error().describe());
        must(residents_.stop());
    }

private:
    result<> wait(asio::awaitable<result<>> work)
    {
        return asio::co_spawn(asio::make_strand(pool_), std::move(work), asio::use_future).get();
    }
    void must(asio::awaitable<result<>> work)
    {
        if (const auto done = wait(std::move(work)); !done) throw std::runtime_error(done.error().describe());
    }

    settings settings_;
    asio::thread_pool pool_{2};
    client api_;
    soak::residents residents_;
    soak::house house_;
    std::vector<std::unique_ptr<soak::guest>> guests_ = soak::all_guests();
    std::vector<std::future<void>> visiting_;
};

int run(const settings& s)
{
    soak::cluster_process cluster(s.cluster);
    soak::memory_record memory;
    soak_run program(s, cluster.connection());
    program.begin();
    program.live(memory);
    program.see_the_guests_off();
    std::printf("%zu changes\n", cluster.rest());
    program.end();

    const auto d = soak::drift_of(memory, s.cluster.cycle_seconds);
    std::printf("memory: %.1f MB after %zu s, %.1f MB at the end: %+.2f %% (medians of %zu s)\n", d.begin, d.warm_up,
                d.end, d.relative() * 100, d.window);
    return s.any_drift || d.small() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    setenv("KUBECORO_LOG", "off", 0); // its own logger counts warnings
    settings s;
    CLI::App app("Lives for a while and watches its own memory.");
    app.add_option("--seconds", s.seconds, "How long");
    app.add_option("--objects", s.cluster.objects, "Pods, and as many config maps");
    app.add_option("--changes", s.cluster.changes_per_second, "Changes a second");
    app.add_option("--seed", s.cluster.seed, "Of everything random");
    app.add_flag("--any-drift", s.any_drift, "Do not fail because of memory: for runs too short to judge it");
    CLI11_PARSE(app, argc, argv);
    s.cluster.cycle_seconds = std::clamp<std::size_t>(s.seconds / 20, 3, 30);
    try {
        return run(s);
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        return 1;
    }
}
