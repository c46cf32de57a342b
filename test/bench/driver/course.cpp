#include "course.hpp"

#include "files.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

namespace kubecoro::bench {

namespace {

result<std::vector<row>> rows_in(const std::string& file)
{
    auto text = read_file(file);
    if (!text) return text.error();
    return parse_rows(*text);
}

bool has_failed(const row& r) { return r.missing.starts_with("failed"); }

} // namespace

result<> run_course(const shared_options& o, const course_steps& steps, bool keeps_rows)
{
    std::vector<row> rows;
    if (keeps_rows || o.resume || o.report_only) {
        auto old = rows_in(o.out);
        if (!old && o.report_only) return old.error();
        if (old) rows = std::move(*old);
    }
    auto done = o.report_only ? result<>() : steps.measure(rows);
    if (!done || o.plan_only) return done;
    std::cout << steps.report(rows);
    if (!o.docs.empty()) done = steps.renew_document(rows);
    if (done && std::any_of(rows.begin(), rows.end(), has_failed))
        return failure(cond::internal, "some measurements failed, see above");
    return done;
}

int say(const refusal& no)
{
    (no.status != 0 ? std::cerr : std::cout) << no.text;
    return no.status;
}

int finish(const result<>& outcome)
{
    if (!outcome) std::cerr << outcome.error().describe() << '\n';
    return outcome ? 0 : 1;
}

} // namespace kubecoro::bench
