#include "comparison.hpp"

#include "subjects.hpp"

#include <cstdio>

namespace kubecoro::bench {

namespace {

/// With three decimals, because commits differ by a few percent.
std::string ratio_text(double after, double before)
{
    if (before == 0) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", after / before);
    return text;
}

} // namespace

table comparison_table(const std::vector<row>& rows)
{
    table t{.title = "After and before, medians",
            .header = {"subject", "work", "metric", "after", "before", "after/before"},
            .lines = {},
            .text_columns = 3};
    for (const auto& before : rows) {
        cell what = before.what;
        if (!before.value.rounds || !what.subject.ends_with(before_mark)) continue;
        what.subject.resize(what.subject.size() - before_mark.size());
        const auto* after = find_row(rows, what);
        if (!after) continue;
        t.lines.push_back({what.subject, title_of(what), what.metric + " " + what.unit,
                           number_text(after->value.median), number_text(before.value.median),
                           ratio_text(after->value.median, before.value.median)});
    }
    return t;
}

} // namespace kubecoro::bench
