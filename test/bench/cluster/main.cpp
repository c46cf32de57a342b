// Measures the subjects on a real kube-apiserver, prints the tables, and writes cluster.json and the document.
#include "command.hpp"
#include "report.hpp"
#include "subjects.hpp"

#include "driver/course.hpp"
#include "driver/files.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

namespace {

using namespace kubecoro;
using namespace kubecoro::bench;
using namespace kubecoro::bench::live;

places places_of(const live::command& c)
{
    namespace fs = std::filesystem;
    return {.programs = fs::canonical("/proc/self/exe").parent_path(),
            .peers = c.peers,
            .work = fs::absolute(c.out).parent_path() / "cluster",
            .cluster = c.cluster,
            .kubectl = c.kubectl};
}

/// Measures, and updates `rows` and the results file after each round, so that an interruption loses nothing.
result<> measure(const live::command& c, std::vector<row>& rows)
{
    const auto where = places_of(c);
    auto subjects = live::all_subjects(where.programs, where.peers);
    find_missing(subjects);
    auto plan = live::make_plan(c.plan, subjects);
    if (c.resume) plan = live::without_finished(std::move(plan), c.run.rounds, subjects, rows);
    std::cerr << live::describe_plan(plan, subjects, c.run.rounds);
    if (c.plan_only || plan.empty()) return {};
    std::filesystem::create_directories(where.work);
    auto cluster = real_cluster::start(where, c.keep);
    if (!cluster) return cluster.error();
    const auto old = rows;
    result<> written;
    auto done = run_plan(plan, subjects, *cluster, where, c.run, [&](const std::vector<row>& fresh) {
        rows = merge_rows(old, fresh);
        written = write_file(c.out, to_json_text(rows));
    });
    cluster->stop();
    return done ? written : done;
}

/// The document with this part renewed, if it is measured.
result<std::string> with_part(const std::string& document, const std::string& part, const std::string& name)
{
    if (part.empty()) return document;
    return put_between_markers(document, part, name);
}

result<> renew_document(const live::command& c, const std::vector<row>& rows)
{
    auto document = read_file(c.docs);
    if (!document) return document.error();
    const auto machine = facts_of_this_machine(c.peers + "/versions");
    const auto reasons = parse_reasons(text_of(c.docs + ".reasons"));
    const auto chart = live::chart_of(rows);
    auto informers = live::informers_part(rows, machine, reasons);
    if (!informers.empty()) informers.insert(0, chart_line_of(c.docs, "real", chart_title, chart));
    if (!chart.empty())
        if (auto drawn = write_file(chart_file(c.docs, "real"), chart); !drawn) return drawn;
    auto renewed = with_part(*document, informers, "real server");
    if (renewed) renewed = with_part(*renewed, live::requests_part(rows, machine, reasons), "requests");
    if (!renewed) return renewed.error();
    return write_file(c.docs, *renewed);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = live::parse_command(argc, argv);
    if (const auto* no = std::get_if<refusal>(&parsed)) return say(*no);
    const auto& c = std::get<live::command>(parsed);
    return finish(run_course(c, {.measure = [&c](std::vector<row>& rows) { return measure(c, rows); },
                                 .report = live::terminal_report,
                                 .renew_document = [&c](const auto& rows) { return renew_document(c, rows); }}));
}
