// Renders Table responses, and defines the columns of `kubectl get` for each kind.
#include "render/table.hpp"

#include "render/plain_cells.hpp"
#include "text/json_path.hpp"
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

std::vector<table_column> table_columns(const resource_info& info, std::string_view version)
{
    const table_column name{"Name", "string", "name"};
    const table_column age{"Age"};
    const auto text = [](std::string n, int priority = 0) {
        return table_column{std::move(n), "string", "", priority};
    };
    const auto number = [](std::string n) { return table_column{std::move(n), "integer"}; };
    if (info.custom) {
        std::vector<table_column> columns{name};
        const auto* v = info.find_version(version);
        static const auto created = std::make_shared<const json_path>(".metadata.creationTimestamp");
        if (!v || v->columns.empty())
            columns.push_back({"Age", "date", "", 0, created});
        else
            columns.insert(columns.end(), v->columns.begin(), v->columns.end());
        return columns;
    }
    const builtin behaves = info.behaves;
    const auto containers = [&](std::vector<table_column> columns, bool selector = true) {
        columns.push_back(text("Containers", 1));
        columns.push_back(text("Images", 1));
        if (selector) columns.push_back(text("Selector", 1));
        return columns;
    };
    if (behaves == builtin::pod)
        return {name,
                text("Ready"),
                text("Status"),
                text("Restarts"),
                age,
                text("IP", 1),
                text("Node", 1),
                text("Nominated Node", 1),
                text("Readiness Gates", 1)};
    if (behaves == builtin::deployment)
        return containers({name, text("Ready"), text("Up-to-date"), text("Available"), age});
    if (behaves == builtin::replica_set)
        return containers({name, number("Desired"), number("Current"), number("Ready"), age});
    if (behaves == builtin::stateful_set) return containers({name, text("Ready"), age}, false);
    if (behaves == builtin::daemon_set)
        return containers({name, number("Desired"), number("Current"), number("Ready"), number("Up-to-date"),
                           number("Available"), text("Node Selector"), age});
    if (behaves == builtin::job) return containers({name, text("Status"), text("Completions"), text("Duration"), age});
    if (behaves == builtin::cron_job)
        return containers({name,
                           text("Schedule"),
                           text("Timezone"),
                           {"Suspend", "boolean"},
                           number("Active"),
                           text("Last Schedule"),
                           age});
    if (behaves == builtin::node)
        return {name,
                text("Status"),
                text("Roles"),
                age,
                text("Version"),
                text("Internal-IP", 1),
                text("External-IP", 1),
                text("OS-Image", 1),
                text("Kernel-Version", 1),
                text("Container-Runtime", 1)};
    if (behaves == builtin::service)
        return {name, text("Type"), text("Cluster-IP"), text("External-IP"), text("Port(s)"), age, text("Selector", 1)};
    if (behaves == builtin::config_map) return {name, text("Data"), age};
    if (behaves == builtin::secret) return {name, text("Type"), text("Data"), age};
    if (behaves == builtin::service_account) return {name, age};
    if (behaves == builtin::namespace_) return {name, text("Status"), age};
    if (behaves == builtin::lease) return {name, text("Holder"), age};
    if (behaves == builtin::event)
        return {
            text("Last Seen"), text("Type"),    text("Reason"),        text("Object"),   text("Subobject", 1),
            text("Source", 1), text("Message"), text("First Seen", 1), text("Count", 1), {"Name", "string", "name", 1}};
    if (behaves == builtin::custom_resource_definition) return {name, text("Created At")};
    return plain_columns(info);
}

} // namespace kubecoro::apiserver
