#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace kubecoro::bench {

void add_subjects_option(CLI::App& app, std::vector<std::string>& into, const std::vector<subject>& all)
{
    std::vector<std::string> choices{"kubecoro", "client-go", "controller-runtime", "kube-rs"};
    for (const auto& s : all) choices.push_back(s.name);
    app.add_option("--subjects", into, "Subjects (client-go/json) or libraries (client-go) (default: all)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(choices));
}

void add_shared_options(CLI::App& app, shared_options& into)
{
    app.add_option("--out", into.out, "Results as JSON")->capture_default_str();
    app.add_option("--docs", into.docs, "Document whose section is replaced by the results");
    app.add_option("--peers", into.peers, "Folder of the peers' programs")->capture_default_str();
    app.add_flag("--resume", into.resume, "Keep results in --out, and skip measurements that have enough rounds");
    app.add_flag("--plan", into.plan_only, "Measure nothing, print the plan and its estimated time");
    app.add_flag("--report-only", into.report_only, "Measure nothing, report the results in --out");
}

std::optional<refusal> parse_with(CLI::App& app, int argc, const char* const* argv)
{
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::ostringstream out;
        const int status = app.exit(e, out, out);
        return refusal{out.str(), status};
    }
    return {};
}

} // namespace kubecoro::bench
