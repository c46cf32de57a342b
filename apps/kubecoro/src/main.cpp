// kubecoro: a client for clusters, an embedded API server, a watcher and a demo, built with the library.
#include "cli/verb_first.hpp"
#include "verbs/verbs.hpp"

#include <kubecoro/program/run_program.hpp>
#include <kubecoro/program/spdlog_logger.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace kubecoro::tool;
using kubecoro::log_level;
using kubecoro::program_context;
using kubecoro::run_program;
using kubecoro::spdlog_logger;

constexpr int usage_status = 2;

struct common_flags
{
    int verbosity = 0;
    progress_mode waiting = progress_mode::automatic;
};

void add_common(CLI::App& app, common_flags& f)
{
    static const std::map<std::string, progress_mode> modes{
        {"auto", progress_mode::automatic}, {"always", progress_mode::always}, {"never", progress_mode::never}};
    app.set_version_flag("--version", "kubecoro " KUBECORO_VERSION);
    app.add_flag("-v,--verbose", f.verbosity, "Log more to stderr (serve: every request); -vv logs everything");
    app.add_option("--progress", f.waiting, "Say on stderr what takes longer than a second: auto, always, never")
        ->transform(CLI::Transformer(modes).description("auto|always|never"));
    app.footer(
        "Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted. `kubecoro VERB --help` explains a verb.");
}

std::vector<verb> add_verbs(CLI::App& app)
{
    return {add_get(app),   add_apply(app),    add_delete(app), add_wait(app),   add_watch(app),
            add_serve(app), add_generate(app), add_new(app),    add_replay(app), add_demo(app)};
}

log_level threshold(const verb& v, int verbosity)
{
    if (verbosity > 0) return verbosity > 1 ? log_level::debug : log_level::info;
    return v.quiet ? log_level::error : log_level::warning;
}

int run(const verb& v, const common_flags& f)
{
    if (const auto sound = v.check ? v.check() : kubecoro::result<>(); !sound) {
        std::fprintf(stderr, "kubecoro: %s\nRun `kubecoro %s --help` for the flags.\n",
                     sound.error().describe().c_str(), v.name.c_str());
        return usage_status;
    }
    auto log = spdlog_logger(threshold(v, f.verbosity));
    const auto whole = [&](program_context c) { return run_verb(v, std::move(c), log, f.waiting); };
    return run_program(whole, "kubecoro");
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app{"kubecoro: live, local, consistent copies of Kubernetes objects", "kubecoro"};
    app.require_subcommand(1);
    app.fallthrough();
    common_flags f;
    add_common(app, f);
    const auto verbs = add_verbs(app);
    auto words = verb_first(app, std::vector<std::string>(argv + 1, argv + argc));
    if (!words) {
        std::fprintf(stderr, "kubecoro: %s\n", words.error().describe().c_str());
        return usage_status;
    }
    try {
        // CLI11 takes them from the back.
        std::reverse(words->begin(), words->end());
        app.parse(std::move(*words));
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : usage_status;
    }
    for (const auto& v : verbs)
        if (app.got_subcommand(v.name)) return run(v, f);
    return usage_status;
}
