#include "print/server_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubecoro::tool {

namespace {

std::string or_none(std::string_view text) { return text.empty() ? "<none>" : std::string(text); }

/// "a=1,b=2"
std::string labels_text(const object& o)
{
    std::string out;
    for (auto [key, value] : o.labels().members()) {
        if (!out.empty()) out += ',';
        out += std::string(key) + "=" + std::string(value.as_string());
    }
    return or_none(out);
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    return text;
}

std::string last_part(const std::string& label) { return label.substr(label.rfind('/') + 1); }

bool is_shown(const table::column& column, const table_layout& layout) { return layout.wide || column.priority == 0; }

std::vector<std::string> head_of(const table& from, const table_layout& layout)
{
    std::vector<std::string> out;
    if (layout.with_namespace) out.emplace_back("NAMESPACE");
    for (const auto& column : from.columns)
        if (is_shown(column, layout)) out.push_back(upper(column.name));
    for (const auto& label : layout.label_columns) out.push_back(upper(last_part(label)));
    if (layout.with_labels) out.emplace_back("LABELS");
    return out;
}

std::vector<std::string> cells_of(const table& from, const table::row& row, const table_layout& layout)
{
    std::vector<std::string> out;
    if (layout.with_namespace) out.push_back(or_none(row.shown.ns()));
    for (std::size_t i = 0; i != from.columns.size(); ++i) {
        if (!is_shown(from.columns[i], layout)) continue;
        const std::string cell = i < row.cells.size() ? row.cells[i] : "";
        const bool name = from.columns[i].name == "Name";
        out.push_back(name ? layout.name_prefix + cell : cell);
    }
    for (const auto& label : layout.label_columns) out.push_back(or_none(row.shown.labels()[label].as_string()));
    if (layout.with_labels) out.push_back(labels_text(row.shown));
    return out;
}

} // namespace

void append(table& to, table more)
{
    if (to.columns.empty()) to.columns = std::move(more.columns);
    if (to.resource_version.empty()) to.resource_version = std::move(more.resource_version);
    to.rows.insert(to.rows.end(), std::make_move_iterator(more.rows.begin()), std::make_move_iterator(more.rows.end()));
    to.continue_token = std::move(more.continue_token);
}

text_table to_text_table(const table& from, const table_layout& layout)
{
    text_table out;
    out.head = head_of(from, layout);
    for (const auto& row : from.rows) out.rows.push_back(cells_of(from, row, layout));
    return out;
}

} // namespace kubecoro::tool
