// Measures the types of kinds, prints the tables, and writes types.json and the document.
#include "command.hpp"
#include "report.hpp"
#include "runner.hpp"

#include "driver/course.hpp"
#include "driver/files.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

namespace {

using namespace kubecoro;
using namespace kubecoro::bench;
using namespace kubecoro::bench::types;

places places_of(const types::command& c)
{
    namespace fs = std::filesystem;
    const auto programs = fs::canonical("/proc/self/exe").parent_path();
    return {.source = fs::absolute(c.source),
            .programs = programs,
            .kinds = programs.parent_path() / "lib/kinds/include",
            .peers = fs::absolute(c.peers),
            .definitions = fs::absolute(c.definitions),
            .work = fs::absolute(c.out).parent_path() / "types"};
}

/// Measures, and updates `rows` and the results file after each round, so that an interruption loses nothing.
result<> measure(const types::command& c, std::vector<row>& rows)
{
    const auto where = places_of(c);
    auto tasks = make_tasks(c.tasks, where);
    if (c.resume) tasks = without_finished(std::move(tasks), c.rounds, rows);
    std::cerr << describe_tasks(tasks, c.rounds);
    if (c.plan_only || tasks.empty()) return {};
    std::filesystem::create_directories(where.work);
    const bool pods = std::any_of(tasks.begin(), tasks.end(), [](const task& t) { return t.prints; });
    if (pods)
        if (auto written = write_pods(where, c.tasks.pods); !written) return written;
    const auto old = rows;
    result<> written;
    run_tasks(tasks, c.rounds, where, [&](const std::vector<row>& fresh) {
        rows = merge_rows(old, fresh);
        written = write_file(c.out, to_json_text(rows));
    });
    return written;
}

result<> renew_document(const types::command& c, const std::vector<row>& rows)
{
    auto document = read_file(c.docs);
    if (!document) return document.error();
    const auto part =
        types_part(rows, facts_of_this_machine(c.peers + "/versions"), parse_reasons(text_of(c.docs + ".reasons")));
    auto renewed = put_between_markers(*document, part, "types");
    if (!renewed) return renewed.error();
    return write_file(c.docs, *renewed);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = types::parse_command(argc, argv);
    if (const auto* no = std::get_if<refusal>(&parsed)) return say(*no);
    const auto& c = std::get<types::command>(parsed);
    result<> affordable;
    const auto report = [&affordable](const std::vector<row>& rows) {
        affordable = within_budgets(rows);
        return types::terminal_report(rows);
    };
    const auto done = run_course(c, {.measure = [&c](std::vector<row>& rows) { return measure(c, rows); },
                                     .report = report,
                                     .renew_document = [&c](const auto& rows) { return renew_document(c, rows); }});
    return finish(done ? affordable : done);
}
