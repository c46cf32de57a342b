// Measures the subjects, prints the tables, and writes results.json and the document.
#include "command.hpp"
#include "files.hpp"
#include "report.hpp"
#include "runner.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

namespace {

using namespace kubecoro::bench;

/// The rows of this run, together with those of an earlier one where that was asked for.
kubecoro::result<std::vector<row>> rows_for(const command& c, const places& where)
{
    std::vector<row> old;
    if (c.merge || c.report_only) {
        auto text = read_file(c.out);
        auto rows = text ? parse_rows(*text) : kubecoro::result<std::vector<row>>(text.error());
        if (!rows && c.report_only) return rows.error();
        if (rows) old = std::move(*rows);
    }
    if (c.report_only) return old;
    auto subjects = all_subjects(where.programs, where.peers);
    find_missing(subjects);
    return merge_rows(std::move(old), run_bench(c.bench, subjects, where));
}

kubecoro::result<> renew_document(const command& c, const std::vector<row>& rows)
{
    auto document = read_file(c.docs);
    if (!document) return document.error();
    const auto reasons = parse_reasons(text_of(c.docs + ".reasons"));
    auto renewed =
        put_between_markers(*document, document_part(rows, facts_of_this_machine(c.peers + "/versions"), reasons));
    if (!renewed) return renewed.error();
    return write_file(c.docs, *renewed);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGPIPE, SIG_IGN);
    auto parsed = parse_command(argc, argv);
    if (auto* no = std::get_if<refusal>(&parsed)) {
        (no->status ? std::cerr : std::cout) << no->text;
        return no->status;
    }
    const auto& c = std::get<command>(parsed);
    namespace fs = std::filesystem;
    const places where{.programs = fs::canonical("/proc/self/exe").parent_path(),
                       .peers = c.peers,
                       .work = fs::absolute(c.out).parent_path() / "work"};
    auto rows = rows_for(c, where);
    if (!rows) {
        std::cerr << rows.error().describe() << '\n';
        return 1;
    }
    std::cout << terminal_report(*rows);
    auto written = c.report_only ? kubecoro::result<>() : write_file(c.out, to_json_text(*rows));
    if (written && !c.docs.empty()) written = renew_document(c, *rows);
    if (!written) std::cerr << written.error().describe() << '\n';
    const bool failed =
        std::any_of(rows->begin(), rows->end(), [](const row& r) { return r.missing.starts_with("failed"); });
    return written && !failed ? 0 : 1;
}
