#include "print/text_table.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace kubecoro::tool {

namespace {

constexpr std::size_t gap = 3;

constexpr std::array good{"Running", "Ready", "Active", "Bound", "Available", "Complete", "Completed", "Succeeded"};
constexpr std::array waiting{"Pending", "ContainerCreating", "PodInitializing", "Terminating",
                             "Unknown", "Released",          "Warning"};
constexpr std::array bad{"Failed",           "Error",
                         "CrashLoopBackOff", "ImagePullBackOff",
                         "ErrImagePull",     "CreateContainerConfigError",
                         "OOMKilled",        "Evicted",
                         "NotReady",         "Lost"};

bool is_in(const auto& words, std::string_view text)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

/// Makes the columns wide enough for the table.
void widen(std::vector<std::size_t>& widths, const text_table& table, bool with_head)
{
    widths.resize(table.head.size(), 0);
    const auto take_in = [&](const std::vector<std::string>& row) {
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
            widths[i] = std::max(widths[i], shown_width(printable(row[i])));
    };
    if (with_head) take_in(table.head);
    for (const auto& row : table.rows) take_in(row);
}

void append_row(std::string& out, const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                const auto& colour)
{
    const auto cells = std::min(row.size(), widths.size());
    for (std::size_t i = 0; i < cells; ++i) {
        const std::string cell = printable(row[i]);
        const std::string_view code = colour(cell);
        if (!code.empty()) out += "\x1b[" + std::string(code) + "m";
        out += cell;
        if (!code.empty()) out += "\x1b[0m";
        if (i + 1 < cells) out.append(widths[i] - shown_width(cell) + gap, ' ');
    }
    out += '\n';
}

} // namespace

std::string_view colour_of_cell(std::string_view text)
{
    if (is_in(good, text)) return "32";
    if (is_in(waiting, text)) return "33";
    return is_in(bad, text) ? "31" : "";
}

std::size_t shown_width(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string growing_table::next(const text_table& part, const table_style& style)
{
    const bool with_head = style.with_head && part.head != head_;
    head_ = part.head;
    widen(widths_, part, with_head);
    const auto bold = [&](std::string_view) { return std::string_view(style.colours ? "1" : ""); };
    const auto by_word = [&](std::string_view cell) { return style.colours ? colour_of_cell(cell) : ""; };
    std::string out;
    if (with_head) append_row(out, part.head, widths_, bold);
    for (const auto& row : part.rows) append_row(out, row, widths_, by_word);
    return out;
}

std::string to_text(const text_table& table, const table_style& style) { return growing_table().next(table, style); }

} // namespace kubecoro::tool
