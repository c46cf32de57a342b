#include "render/table.hpp"

#include "text/json_text.hpp"

namespace kubecoro::apiserver {
namespace {

void append_columns(std::string& out, const std::vector<table_column>& columns)
{
    char separator = '[';
    for (const auto& c : columns) {
        out += separator;
        separator = ',';
        out += R"({"name":)" + quote(c.name) + R"(,"type":)" + quote(c.type) + R"(,"format":)" + quote(c.format) +
               R"(,"description":)" + quote(c.description) + R"(,"priority":)" + std::to_string(c.priority) + "}";
    }
    out += ']';
}

} // namespace

void append_table_head(std::string& out, const rendering& r, std::string_view metadata,
                       const std::vector<table_column>* columns)
{
    out += R"({"kind":"Table","apiVersion":"meta.k8s.io/)" + r.table_version + R"(","metadata":)";
    out += metadata;
    out += R"(,"columnDefinitions":)";
    if (columns)
        append_columns(out, *columns);
    else
        out += "null";
    out += R"(,"rows":[)";
}

void append_table_row(std::string& out, const resource_info& info, const stored_object& object, const rendering& r,
                      const std::vector<table_column>& columns, wall_time now)
{
    const auto body = to_json(info, object, r.version);
    out += R"({"cells":)";
    append_json(out, table_cells(info, columns, body, now));
    if (r.include_object == "Object") {
        out += R"(,"object":)";
        append_object(out, info, object, r.version);
    } else if (r.include_object != "None") {
        out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + r.table_version +
               R"(","metadata":)";
        append_json(out, body.at("metadata"));
        out += '}';
    } else {
        out += R"(,"object":null)";
    }
    out += '}';
}

std::string make_table(const resource_info& info, const stored& object, const rendering& r, std::string_view metadata,
                       bool columns, wall_time now)
{
    const auto definitions = table_columns(info, r.version);
    std::string out;
    append_table_head(out, r, metadata, columns ? &definitions : nullptr);
    append_table_row(out, info, *object, r, definitions, now);
    return out + "]}";
}

std::string make_bookmark_table(const resource_info& info, const rendering& r, std::string_view metadata,
                                std::string_view object_metadata, bool columns)
{
    const auto definitions = table_columns(info, r.version);
    std::string out;
    append_table_head(out, r, metadata, columns ? &definitions : nullptr);
    out += R"({"cells":)";
    append_json(out, table_cells(info, definitions, json::value(json::object{}), {}));
    out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + r.table_version +
           R"(","metadata":)";
    out += object_metadata;
    return out + "}}]}";
}

} // namespace kubecoro::apiserver
