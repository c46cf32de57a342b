// Defines the columns of `kubectl get` for each kind.
#include "render/plain_tables.hpp"
#include "render/table_rows.hpp"
#include "text/json_path.hpp"

namespace kubecoro::apiserver {

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
