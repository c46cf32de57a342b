#include "rest/table_core.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t shown_table_kind = 100;
// Cells that rows lack. A server has none to lack: a response with many columns and short rows would fill the memory.
constexpr std::size_t most_missing_cells = 100'000;

std::string text(value_view v) { return std::string(v.as_string()); }

std::string cell_text(value_view cell)
{
    if (cell.is_string()) return text(cell);
    if (!cell || cell.kind() == value_kind::null) return {};
    return cell.to_text();
}

table::column column_of(value_view definition)
{
    return {.name = text(definition["name"]),
            .type = text(definition["type"]),
            .format = text(definition["format"]),
            .description = text(definition["description"]),
            .priority = static_cast<std::int32_t>(definition["priority"].as_int64())};
}

/// As many cells as there are columns at most, whatever the server sent.
std::vector<std::string> cells_of(value_view row, std::size_t columns)
{
    std::vector<std::string> cells;
    for (const auto cell : row["cells"].items()) {
        if (cells.size() == columns) break;
        cells.push_back(cell_text(cell));
    }
    return cells;
}

void read_list_metadata(value_view metadata, table& out)
{
    out.resource_version = text(metadata["resourceVersion"]);
    out.continue_token = text(metadata["continue"]);
    if (const auto remaining = metadata["remainingItemCount"]; remaining.kind() == value_kind::integer)
        out.remaining = remaining.as_int64();
}

/// @param missing  The cells that rows may still lack.
result<table::row> row_of(value_view row, std::size_t columns, std::size_t& missing, const decode_options& options)
{
    table::row out{.cells = cells_of(row, columns)};
    const auto lacking = columns - out.cells.size();
    if (lacking > missing) return failure(cond::corrupt, "the rows of the table lack too many cells");
    missing -= lacking;
    out.cells.resize(columns);
    if (const auto shown = row["object"]; shown.is_object()) {
        auto decoded = decode_object(shown.to_text(), options);
        if (!decoded) return decoded.error().because("a row of the table has no readable object");
        out.shown = std::move(*decoded);
    }
    return out;
}

std::vector<table::column> columns_of(const object& document)
{
    std::vector<table::column> out;
    for (const auto definition : document["columnDefinitions"].items()) out.push_back(column_of(definition));
    return out;
}

result<table> from_table(const object& document, const decode_options& options)
{
    table out;
    read_list_metadata(document["metadata"], out);
    out.columns = columns_of(document);
    std::size_t missing = most_missing_cells;
    for (const auto row : document["rows"].items()) {
        auto made = row_of(row, out.columns.size(), missing, options);
        if (!made) return made.error();
        out.rows.push_back(std::move(*made));
    }
    return out;
}

table::row plain_row(object o)
{
    table::row row;
    row.cells = {std::string(o.name()), text(o.metadata()["creationTimestamp"])};
    row.shown = std::move(o);
    return row;
}

table plain_table()
{
    table out;
    out.columns = {{.name = "Name", .type = "string", .format = "name"}, {.name = "Created At", .type = "date"}};
    return out;
}

/// Go writes a list without items as null, unless it takes care.
bool has_items(const object& list)
{
    const auto items = list["items"];
    return items.is_array() || (items && items.kind() == value_kind::null);
}

/// A list of a server without tables.
result<table> from_list(std::string_view body, const decode_options& options)
{
    list_decoder decoder(options);
    if (auto fed = decoder.feed(body); !fed) return fed.error();
    auto page = decoder.finish();
    if (!page) return page.error();
    table out = plain_table();
    for (auto& item : page->items) out.rows.push_back(plain_row(std::move(item)));
    out.resource_version = std::move(page->resource_version);
    out.continue_token = std::move(page->continue_token);
    out.remaining = page->remaining;
    return out;
}

/// An object of a server without tables.
result<table> from_object(std::string_view body, const decode_options& options)
{
    auto decoded = decode_object(body, options);
    if (!decoded) return decoded.error();
    table out = plain_table();
    out.resource_version = decoded->resource_version();
    out.rows.push_back(plain_row(std::move(*decoded)));
    return out;
}

} // namespace

result<table> read_table(std::string_view body, const decode_options& options)
{
    decode_options whole;
    whole.limits.max_depth = options.limits.max_depth;
    whole.limits.max_object_bytes = std::max(options.limits.max_object_bytes, body.size());
    auto document = decode_object(body, whole);
    if (!document) return document.error();
    if (document->kind() == "Table") return from_table(*document, options);
    // A Status that reports a failure is a failure, whatever the code of the response.
    if (document->kind() == "Status" && (*document)["status"].as_string() == "Failure")
        return failure(read_status(document->root()));
    if (document->kind().ends_with("List") && has_items(*document)) return from_list(body, options);
    if (document->has_metadata()) return from_object(body, options);
    return failure(cond::corrupt,
                   "the response is of kind \"" + printable(document->kind(), shown_table_kind) + "\" and not a Table");
}

result<table_event> read_table_event(const watch_event& e, const decode_options& options,
                                     std::vector<table::column>& columns)
{
    if (e.type == watch_event_type::error) return e.to_failure();
    table_event out;
    out.type = e.type;
    out.resource_version = std::string(e.obj.resource_version());
    if (e.obj.kind() != "Table") {
        if (columns.empty()) columns = plain_table().columns;
        if (e.obj && e.type != watch_event_type::bookmark) out.row = plain_row(e.obj);
        return out;
    }
    if (auto sent = columns_of(e.obj); !sent.empty()) columns = std::move(sent);
    std::size_t missing = most_missing_cells;
    auto row = row_of(e.obj["rows"][std::size_t{0}], columns.size(), missing, options);
    if (!row) return row.error();
    // A table of one row need not have a version of its own.
    if (row->shown && !row->shown.resource_version().empty())
        out.resource_version = std::string(row->shown.resource_version());
    if (e.type != watch_event_type::bookmark) out.row = std::move(*row);
    return out;
}

} // namespace kubecoro::detail
