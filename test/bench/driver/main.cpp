// Measures the subjects, prints the tables, and writes results.json and the document.
#include "command.hpp"
#include "course.hpp"
#include "files.hpp"
#include "plan_time.hpp"
#include "report.hpp"
#include "runner.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

namespace {

using namespace kubecoro::bench;

/// Measures, and updates `rows` and the results file after each round, so that an interruption loses nothing.
kubecoro::result<> measure(const command& c, const places& where, std::vector<row>& rows)
{
    auto subjects = all_subjects(where.programs, where.peers, c.before);
    find_missing(subjects);
    auto plan = make_plan(c.bench, subjects);
    if (c.resume) plan = without_finished(std::move(plan), c.bench, subjects, rows);
    const bool micro = wants_micro(c.bench, c.resume ? rows : std::vector<row>());
    std::cerr << describe_plan(plan, subjects, c.bench);
    if (c.plan_only) return {};
    auto old = rows;
    // Replaced as a whole: a former failure has no rows of its own to replace.
    if (micro) std::erase_if(old, [](const row& r) { return r.what.workload == "micro"; });
    kubecoro::result<> written;
    run_bench(plan, micro, c.bench, subjects, where, [&](const std::vector<row>& fresh) {
        rows = merge_rows(old, fresh);
        written = write_file(c.out, to_json_text(rows));
    });
    return written;
}

kubecoro::result<> renew_document(const command& c, const std::vector<row>& rows)
{
    auto document = read_file(c.docs);
    if (!document) return document.error();
    const auto reasons = parse_reasons(text_of(c.docs + ".reasons"));
    const auto chart = chart_of(rows);
    const auto part = chart_line_of(c.docs, "replay", replay_title, chart) +
                      document_part(rows, facts_of_this_machine(c.peers + "/versions"), reasons);
    auto renewed = put_between_markers(*document, part);
    if (!renewed) return renewed.error();
    if (!chart.empty())
        if (auto drawn = write_file(chart_file(c.docs, "replay"), chart); !drawn) return drawn;
    return write_file(c.docs, *renewed);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = parse_command(argc, argv);
    if (const auto* no = std::get_if<refusal>(&parsed)) return say(*no);
    const auto& c = std::get<command>(parsed);
    namespace fs = std::filesystem;
    const places where{.programs = fs::canonical("/proc/self/exe").parent_path(),
                       .peers = c.peers,
                       .work = fs::absolute(c.out).parent_path() / "work"};
    const course_steps steps{.measure = [&](std::vector<row>& rows) { return measure(c, where, rows); },
                             .report = terminal_report,
                             .renew_document = [&](const auto& rows) { return renew_document(c, rows); }};
    return finish(run_course(c, steps, c.merge));
}
