#include "table.hpp"

#include "json_text.hpp"

namespace kubecoro::apiserver {
namespace {

std::string head(const rendering& r, std::string_view metadata)
{
    return R"({"kind":"Table","apiVersion":"meta.k8s.io/)" + r.table_version + R"(","metadata":)" +
           std::string(metadata) + R"(,"columnDefinitions":)";
}

void append_columns(std::string& out, const std::vector<table_column>& columns)
{
    char separator = '[';
    for (const auto& c : columns) {
        out += separator;
        separator = ',';
        out += R"({"name":)" + quoted(c.name) + R"(,"type":)" + quoted(c.type) + R"(,"format":)" + quoted(c.format) +
               R"(,"description":"","priority":)" + std::to_string(c.priority) + "}";
    }
    out += ']';
}

} // namespace

std::string make_table(const resource_info& info, const std::vector<stored>& objects, const rendering& r,
                       std::string_view metadata, bool columns, wall_time now)
{
    const auto definitions = table_columns(info, r.version);
    auto out = head(r, metadata);
    if (columns)
        append_columns(out, definitions);
    else
        out += "null";
    out += R"(,"rows":[)";
    bool first = true;
    for (const auto& object : objects) {
        const auto body = to_json(*object);
        if (!first) out += ',';
        first = false;
        out += R"({"cells":)";
        append_json(out, table_cells(info, definitions, body, now));
        if (r.include_object == "Object") {
            out += R"(,"object":)";
            append_object(out, info, *object, r.version);
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
    return out + "]}";
}

std::string make_bookmark_table(const resource_info& info, const rendering& r, std::string_view metadata,
                                std::string_view object_metadata, bool columns)
{
    const auto definitions = table_columns(info, r.version);
    auto out = head(r, metadata);
    if (columns)
        append_columns(out, definitions);
    else
        out += "null";
    out += R"(,"rows":[{"cells":)";
    append_json(out, table_cells(info, definitions, json::value(json::object{}), {}));
    out += R"(,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)" + r.table_version +
           R"(","metadata":)";
    out += object_metadata;
    return out + "}}]}";
}

} // namespace kubecoro::apiserver
