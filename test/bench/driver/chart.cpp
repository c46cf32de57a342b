#include "chart.hpp"

#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace kubecoro::bench {

namespace {

constexpr int panel_width = 340;
constexpr int columns = 2;
constexpr int margin = 16;
constexpr int title_height = 34;
constexpr int panel_title = 26;
constexpr int bar_pitch = 24;
constexpr int bar_height = 16;
constexpr int label_width = 118;
constexpr int number_width = 66;
constexpr int longest_bar = panel_width - label_width - number_width;

constexpr std::string_view style = R"(<style>
text{font-family:system-ui,sans-serif;font-size:12px;fill:#1f2328}
.title{font-size:15px;font-weight:600}
.panel{font-weight:600}
.note{fill:#59636e}
.own{fill:#0969da}
.peer{fill:#afb8c1}
.page{fill:#ffffff}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.note{fill:#9198a1}.own{fill:#4493f8}.peer{fill:#656c76}.page{fill:#0d1117}}
</style>
)";

std::string text_at(int x, int y, std::string_view kind, std::string_view text)
{
    std::string out = R"(<text x=")" + std::to_string(x) + R"(" y=")" + std::to_string(y) + '"';
    if (!kind.empty()) out += R"( class=")" + std::string(kind) + '"';
    return out + '>' + std::string(text) + "</text>\n";
}

std::string box(int x, int y, int width, int height, std::string_view kind)
{
    return R"(<rect x=")" + std::to_string(x) + R"(" y=")" + std::to_string(y) + R"(" width=")" +
           std::to_string(width) + R"(" height=")" + std::to_string(height) + R"(" class=")" + std::string(kind) +
           "\"/>\n";
}

const row* found(const std::vector<row>& rows, const panel& p, std::string_view subject)
{
    return find_row(rows, {.workload = std::string(p.workload),
                           .subject = std::string(subject),
                           .data = std::string(p.data),
                           .objects = p.objects,
                           .metric = std::string(p.metric),
                           .unit = {}});
}

/// "1.64 s".
std::string amount_of(const row& r)
{
    return number_text(r.value.median) + " " + r.what.unit.substr(0, r.what.unit.find('/'));
}

std::string bars_of(const panel& p, std::span<const chart_line> lines, const std::vector<row>& rows, int x, int y)
{
    double largest = 0;
    for (const auto& line : lines)
        if (const auto* r = found(rows, p, line.subject)) largest = std::max(largest, r->value.median);
    const std::string note = R"( <tspan class="note">)" + std::string(p.more ? "more" : "less") + " is better</tspan>";
    auto out = text_at(x, y + 14, "panel", std::string(p.title) + note);
    y += panel_title;
    for (const auto& line : lines) {
        const auto* r = found(rows, p, line.subject);
        if (!r) continue;
        const double share = largest > 0 ? r->value.median / largest : 0;
        const int length = std::max(2, static_cast<int>(std::lround(share * longest_bar)));
        out += text_at(x, y + 13, {}, line.label);
        out += box(x + label_width, y, length, bar_height, &line == lines.data() ? "own" : "peer");
        out += text_at(x + label_width + length + 6, y + 13, {}, amount_of(*r));
        y += bar_pitch;
    }
    return out;
}

} // namespace

std::string to_svg(std::string_view title, std::span<const panel> panels, std::span<const chart_line> lines,
                   const std::vector<row>& rows)
{
    std::vector<const panel*> drawn;
    for (const auto& p : panels)
        if (!lines.empty() && found(rows, p, lines.front().subject)) drawn.push_back(&p);
    if (drawn.empty()) return {};
    const int panel_height = panel_title + static_cast<int>(lines.size()) * bar_pitch + margin;
    const int rows_of_panels = (static_cast<int>(drawn.size()) + columns - 1) / columns;
    const auto width = std::to_string(margin + columns * (panel_width + margin));
    const auto height = std::to_string(title_height + rows_of_panels * panel_height + margin);
    std::string out = R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" + width + R"(" height=")" + height +
                      R"(" viewBox="0 0 )" + width + " " + height + R"(" role="img">)" + "\n<title>" +
                      std::string(title) + "</title>\n" + std::string(style);
    out += R"(<rect width="100%" height="100%" class="page"/>)"
           "\n";
    out += text_at(margin, margin + 10, "title", title);
    for (int i = 0; i < static_cast<int>(drawn.size()); ++i)
        out += bars_of(*drawn[static_cast<std::size_t>(i)], lines, rows, margin + i % columns * (panel_width + margin),
                       title_height + i / columns * panel_height + 4);
    return out + "</svg>\n";
}

} // namespace kubecoro::bench
