#include "table.hpp"

#include "plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace kubecoro::bench {

std::string count_text(std::uint64_t count)
{
    auto digits = std::to_string(count);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

std::string number_text(double value)
{
    if (value < 0) return "-" + number_text(-value);
    if (value >= 999.5) {
        const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
        return count_text(static_cast<std::uint64_t>(std::llround(std::round(value / unit) * unit)));
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
    return text;
}

std::string factor_text(double factor)
{
    return factor < 1 ? "1/" + number_text(1 / factor) : number_text(factor) + "x";
}

std::string title_of(const cell& c)
{
    if (c.data == "-") return c.workload;
    return c.workload + ", " + count_text(c.objects) + " " + c.data;
}

namespace {

std::string cell_text(const row& r, cell_form form)
{
    constexpr std::size_t room = 60; // the whole reason is in results.json
    if (!r.value.rounds) return "missing: " + (r.missing.size() > room ? r.missing.substr(0, room) + ".." : r.missing);
    auto text = number_text(r.value.median);
    if (form == cell_form::range && r.value.rounds > 1)
        text += " (" + number_text(r.value.min) + "-" + number_text(r.value.max) + ")";
    return text;
}

/// The column of a metric. A missing row has no unit.
std::size_t column_of(table& t, const cell& c)
{
    const auto known = std::find_if(t.header.begin(), t.header.end(),
                                    [&](const std::string& h) { return h.starts_with(c.metric + " "); });
    if (known != t.header.end()) {
        if (known->ends_with(" -")) *known = c.metric + " " + c.unit;
        return static_cast<std::size_t>(known - t.header.begin());
    }
    t.header.push_back(c.metric + " " + c.unit);
    return t.header.size() - 1;
}

void put(table& t, const row& r, cell_form form)
{
    auto line = std::find_if(t.lines.begin(), t.lines.end(), [&](const auto& l) { return l[0] == r.what.subject; });
    if (line == t.lines.end()) line = t.lines.insert(t.lines.end(), {r.what.subject});
    // A subject without any number has its reason in the first column of numbers.
    const auto column = r.what.metric == "all" ? 1 : column_of(t, r.what);
    if (line->size() <= column) line->resize(column + 1);
    if (r.what.metric != "all" || (*line)[column].empty()) (*line)[column] = cell_text(r, form);
}

/// kubecoro, then the peers, each in the order of measurement; those without numbers last.
void sort_lines(table& t)
{
    auto rank = [](const std::vector<std::string>& line) {
        const bool absent = line.size() > 1 && line[1].starts_with("missing");
        return (absent ? 4 : 0) + (line[0].starts_with("kubecoro/") ? 0 : line[0].starts_with("client-go/") ? 1 : 2);
    };
    std::stable_sort(t.lines.begin(), t.lines.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

/// The last column: the number of rounds of each line.
void add_rounds(table& t, const std::vector<row>& rows)
{
    for (auto& line : t.lines) {
        std::size_t most = 0;
        for (const auto& r : rows)
            if (title_of(r.what) == t.title && r.what.subject == line[0]) most = std::max(most, r.value.rounds);
        line.resize(t.header.size());
        line.push_back(std::to_string(most));
    }
    t.header.emplace_back("rounds");
}

void align(table& t)
{
    sort_lines(t);
    for (const auto& line : t.lines)
        if (line.size() > t.header.size()) t.header.resize(line.size());
    for (auto& line : t.lines) line.resize(t.header.size());
}

/// The sort key of a row's table: data, size, cores, and workload in the order of the bench.
auto place_of(const row& r)
{
    static const std::array<std::string_view, 7> data{"small", "split", "large", "low", "custom", "operator", "-"};
    const bool two = r.what.workload.ends_with("-2cores");
    const auto workload = r.what.workload.substr(0, r.what.workload.size() - (two ? 7 : 0));
    const auto& all = workload_names();
    return std::tuple(std::find(data.begin(), data.end(), r.what.data) - data.begin(), ~r.what.objects, two,
                      std::find(all.begin(), all.end(), workload) - all.begin());
}

} // namespace

std::vector<table> tables_of(const std::vector<row>& rows, cell_form form)
{
    auto sorted = rows;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const row& a, const row& b) { return place_of(a) < place_of(b); });
    std::vector<table> tables;
    for (const auto& r : sorted) {
        const auto title = title_of(r.what);
        auto t = std::find_if(tables.begin(), tables.end(), [&](const table& known) { return known.title == title; });
        if (t == tables.end()) t = tables.insert(tables.end(), {.title = title, .header = {"subject"}, .lines = {}});
        put(*t, r, form);
    }
    for (auto& t : tables) {
        align(t);
        if (form == cell_form::range) add_rounds(t, rows);
    }
    return tables;
}

std::string to_text(const table& t)
{
    std::vector<std::size_t> width;
    for (std::size_t c = 0; c < t.header.size(); ++c) {
        width.push_back(t.header[c].size());
        for (const auto& line : t.lines) width[c] = std::max(width[c], line[c].size());
    }
    std::string out = t.title + "\n";
    auto print = [&](const std::vector<std::string>& line) {
        for (std::size_t c = 0; c < line.size(); ++c) {
            const std::string space(width[c] - line[c].size(), ' ');
            out += "  " + (c < t.text_columns ? line[c] + space : space + line[c]);
        }
        out.resize(out.find_last_not_of(' ') + 1);
        out += '\n';
    };
    print(t.header);
    for (const auto& line : t.lines) print(line);
    return out;
}

std::string to_markdown(const table& t)
{
    std::string out = "**" + t.title + "**\n\n";
    auto print = [&](const std::vector<std::string>& line) {
        for (const auto& text : line) out += "| " + text + " ";
        out += "|\n";
    };
    print(t.header);
    for (std::size_t c = 0; c < t.header.size(); ++c) out += c < t.text_columns ? "|---" : "|---:";
    out += "|\n";
    for (const auto& line : t.lines) print(line);
    return out;
}

} // namespace kubecoro::bench
