// Measures webhooks beside those of controller-runtime: see test/bench/README.md, "Webhooks".
#include "load.hpp"

#include "controllers/memory.hpp"
#include "driver/process.hpp"
#include "driver/statistics.hpp"
#include "driver/usage.hpp"

#include <kubecoro/certificates/certificates.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::bench;
using namespace std::chrono_literals;

namespace {

struct options
{
    std::string programs = "build/release/bin";
    std::string peers = "build/bench/peers";
    std::string work = "build/bench/webhooks";
    std::size_t rounds = 5;
    std::size_t seconds = 10;
    std::size_t rate = 2000;
    int load_core = 0;
    int subject_core = 1;
};

constexpr const char* metrics[] = {"CPU a review", "p50", "p99", "private", "resident"};

/// By subject, workload and metric.
using book = std::map<std::string, std::map<std::string, std::map<std::string, std::vector<double>>>>;

std::uint16_t free_port()
{
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor at(io, {boost::asio::ip::address_v4::loopback(), 0});
    return at.local_endpoint().port();
}

/// Writes the certificate and the key as cert-manager mounts them. Returns the authority.
result<std::string> write_certificate(const std::string& folder)
{
    auto made = tls_identity::generate({.now = std::chrono::system_clock::now(), .valid_for = 48h});
    if (!made) return made.error();
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/tls.crt") << made->server_certificate;
    std::ofstream(folder + "/tls.key") << made->server_key;
    return made->ca_certificate;
}

result<> measure(const options& o, const std::string& subject, const std::string& authority, book& out)
{
    const auto port = free_port();
    const auto path = subject == "kubecoro" ? o.programs + "/kubecoro_bench_hooks" : o.peers + "/go_webhooks";
    auto started = child_process::start({.words = {path, o.work, std::to_string(port)}, .cores = {o.subject_core}},
                                        o.work + "/" + subject + ".log");
    if (!started) return started.error();
    if (const auto ready = started->read_answer(30s); !ready) return ready.error();
    auto to = hooks::load::connect({.port = port, .authority = authority});
    if (!to) return to.error();
    for (const std::string workload : {"validate", "mutate"}) {
        const auto target = "/" + workload + "--v1-pod";
        if (const auto warm = to->post(target, o.rate, 1s); !warm) return warm.error();
        const auto before = usage_of(started->pid());
        const auto done = to->post(target, o.rate, std::chrono::seconds(o.seconds));
        const auto after = usage_of(started->pid());
        if (!done) return done.error();
        const auto memory = controllers::memory_of(started->pid());
        if (!before || !after || !memory) return failure(cond::not_found, "the subject has ended");
        auto& rows = out[workload][subject];
        rows["CPU a review"].push_back((after->cpu_s - before->cpu_s) * 1e6 / static_cast<double>(done->reviews));
        rows["p50"].push_back(done->percentile(0.5));
        rows["p99"].push_back(done->percentile(0.99));
        rows["private"].push_back(static_cast<double>(memory->private_bytes) / 1e6);
        rows["resident"].push_back(static_cast<double>(memory->resident_bytes) / 1e6);
    }
    return {};
}

void print(const book& all)
{
    std::printf("| workload | subject | CPU a review, us | p50, us | p99, us | private, MB | resident, MB "
                "|\n|---|---|---|---|---|---|---|\n");
    for (const auto& [workload, subjects] : all)
        for (const auto& [subject, rows] : subjects) {
            std::printf("| %s | %s", workload.c_str(), subject.c_str());
            for (const auto* const metric : metrics) {
                const auto s = summarise(rows.at(metric));
                std::printf(" | %.1f (%.1f to %.1f)", s.median, s.min, s.max);
            }
            std::printf(" |\n");
        }
}

} // namespace

int main(int argc, char** argv)
{
    options o;
    bool smoke = false;
    CLI::App app{"Measures webhooks beside those of controller-runtime."};
    app.add_option("--rounds", o.rounds, "Rounds, subjects interleaved")->capture_default_str();
    app.add_option("--seconds", o.seconds, "Length of each measurement")->capture_default_str();
    app.add_option("--rate", o.rate, "Reviews a second")->capture_default_str()->check(CLI::Range(1, 100'000));
    app.add_option("--load-core", o.load_core, "Core of the load")->capture_default_str();
    app.add_option("--subject-core", o.subject_core, "Core of the subject")->capture_default_str();
    app.add_option("--programs", o.programs, "Folder of kubecoro's programs")->capture_default_str();
    app.add_option("--peers", o.peers, "Folder of the peers")->capture_default_str();
    app.add_flag("--smoke", smoke, "One round of a second: checks only that everything works");
    CLI11_PARSE(app, argc, argv);
    if (smoke) o.rounds = o.seconds = 1;
    pin_this_thread({o.load_core});
    const auto authority = write_certificate(o.work);
    if (!authority) {
        std::cerr << "kubecoro_bench_webhooks: " << authority.error().describe() << '\n';
        return 1;
    }
    book all;
    std::vector<std::string> subjects{"kubecoro"};
    if (std::filesystem::exists(o.peers + "/go_webhooks"))
        subjects.emplace_back("controller-runtime");
    else
        std::cerr << "  missing: controller-runtime, which was not built\n";
    for (std::size_t round = 0; round < o.rounds; ++round)
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            const auto& subject = subjects[(round + i) % subjects.size()];
            const auto done = measure(o, subject, *authority, all);
            if (done) continue;
            std::cerr << "  FAILED: " << subject << ": " << done.error().describe() << '\n';
            return 1;
        }
    print(all);
    return 0;
}
