// Measures controllers, prints the tables, and writes controllers.json and the document.
#include "command.hpp"
#include "report.hpp"
#include "runner.hpp"

#include "driver/course.hpp"
#include "driver/files.hpp"

#include <csignal>
#include <filesystem>
#include <iostream>

namespace {

using namespace kubecoro;
using namespace kubecoro::bench;

controllers::places places_of(const controllers::command& c)
{
    namespace fs = std::filesystem;
    return {.programs = fs::canonical("/proc/self/exe").parent_path(),
            .peers = fs::absolute(c.peers),
            .work = fs::absolute(c.out).parent_path() / "controllers"};
}

/// Measures, and updates `rows` and the results file after each round, so that an interruption loses nothing.
result<> measure(const controllers::command& c, std::vector<row>& rows)
{
    const auto where = places_of(c);
    auto tasks = make_tasks(c.tasks, where);
    if (c.resume) tasks = without_finished(std::move(tasks), c.run.rounds, rows);
    std::cerr << describe_tasks(tasks, c.run.rounds);
    if (c.plan_only || tasks.empty()) return {};
    std::filesystem::create_directories(where.work);
    const auto old = rows;
    result<> written;
    run_tasks(tasks, c.run, where, [&](const std::vector<row>& fresh) {
        rows = merge_rows(old, fresh);
        written = write_file(c.out, to_json_text(rows));
    });
    return written;
}

result<> renew_document(const controllers::command& c, const std::vector<row>& rows)
{
    auto document = read_file(c.docs);
    if (!document) return document.error();
    const auto part = controllers::controllers_part(rows, facts_of_this_machine(c.peers + "/versions"),
                                                    parse_reasons(text_of(c.docs + ".reasons")));
    auto renewed = put_between_markers(*document, part, "controllers");
    if (!renewed) return renewed.error();
    return write_file(c.docs, *renewed);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = controllers::parse_command(argc, argv);
    if (const auto* no = std::get_if<refusal>(&parsed)) return say(*no);
    const auto& c = std::get<controllers::command>(parsed);
    return finish(run_course(c, {.measure = [&c](std::vector<row>& rows) { return measure(c, rows); },
                                 .report = controllers::terminal_report,
                                 .renew_document = [&c](const auto& rows) { return renew_document(c, rows); }}));
}
