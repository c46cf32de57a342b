#include "operator/operator_flags.hpp"

#include <kubecoro/base/printable.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace kubecoro::detail {
namespace {

bool is_namespace(std::string_view name)
{
    const auto inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && name.size() <= 63 && name.front() != '-' && name.back() != '-' &&
           std::all_of(name.begin(), name.end(), inner);
}

std::string wrong_namespace(const std::string& name)
{
    return is_namespace(name) ? std::string() : "expects the name of a namespace";
}

/// Checked and split here: CLI11 up to 2.3 passes over empty elements, and a list of nothing else would mean all namespaces.
std::string wrong_namespaces(const std::string& names)
{
    for (std::string_view rest = names;; rest.remove_prefix(rest.find(',') + 1)) {
        if (!is_namespace(rest.substr(0, rest.find(',')))) return wrong_namespace({});
        if (rest.find(',') == rest.npos) return {};
    }
}

void add_elements(std::vector<std::string>& to, std::string_view list)
{
    for (bool more = true; more;) {
        const auto end = std::min(list.find(','), list.size());
        to.emplace_back(list.substr(0, end));
        more = end < list.size();
        list.remove_prefix(more ? end + 1 : end);
    }
}

/// CLI11 up to 2.3 answers other words with an exception that is not one of its own.
std::string wrong_switch(std::string text)
{
    constexpr std::string_view words[] = {"true",  "t", "yes", "y", "on",  "enable",  "1", "+",
                                          "false", "f", "no",  "n", "off", "disable", "0", "-"};
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool good = std::find(std::begin(words), std::end(words), text) != std::end(words);
    return good ? std::string() : "expects true or false";
}

std::string wrong_lease(const std::string& name)
{
    const auto inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    const bool good = !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), inner);
    return good ? std::string() : "expects the name of a Lease";
}

std::string variable_of(const std::string& name)
{
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        out += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
    }
    return out;
}

void apply_election(const operator_flags& flags, operator_options& o)
{
    const bool inner = o.leader_election.lease.empty() && !o.managing.leader_election.lease.empty();
    if (!inner) o.managing.leader_election = o.leader_election;
    auto& e = o.managing.leader_election;
    if (!flags.lease.empty()) e.lease = flags.lease;
    if (!flags.lease_namespace.empty()) e.ns = flags.lease_namespace;
    if (flags.elects.empty()) return;
    const bool wanted = CLI::detail::to_flag_value(flags.elects) > 0;
    if (!wanted) e.lease.clear();
    if (wanted && e.lease.empty()) e.lease = o.name;
}

} // namespace

void apply_flags(const operator_flags& flags, operator_options& o)
{
    if (!flags.kubeconfig.empty()) o.connection.kubeconfig = flags.kubeconfig;
    if (!flags.context.empty()) o.connection.context = flags.context;
    if (!o.shards.group.empty()) o.managing.shards = o.shards;
    if (!flags.namespaces.empty()) o.managing.namespaces = flags.namespaces;
    if (o.connection.user_agent.empty()) o.connection.user_agent = o.name + (o.version.empty() ? "" : "/" + o.version);
    if (o.managing.name.empty()) o.managing.name = o.name;
    if (flags.metrics) o.metrics = *flags.metrics;
    if (flags.health) o.health = *flags.health;
    if (flags.webhooks) o.webhooks = *flags.webhooks;
    if (!flags.certificate_file.empty()) o.metrics_tls.certificate_file = flags.certificate_file;
    if (!flags.key_file.empty()) o.metrics_tls.key_file = flags.key_file;
    if (!flags.secure.empty()) o.protect = CLI::detail::to_flag_value(flags.secure) > 0;
    apply_election(flags, o);
}

bool operator_flags::wants_ids() const { return !trace_ids.empty() && CLI::detail::to_flag_value(trace_ids) > 0; }

std::string environment_prefix(const std::string& name) { return variable_of(name) + "_"; }

log_level operator_flags::threshold() const noexcept
{
    auto out = log_level::info;
    for (const auto l : {log_level::trace, log_level::debug, log_level::warning, log_level::error})
        if (level == to_string(l)) out = l;
    for (int i = 0; i < std::min(verbosity, 4); ++i) out = stepped(out, true);
    return out;
}

log_level stepped(log_level from, bool more) noexcept
{
    const int wanted = static_cast<int>(from) + (more ? -1 : 1);
    return static_cast<log_level>(
        std::clamp(wanted, static_cast<int>(log_level::trace), static_cast<int>(log_level::error)));
}

void add_flags(CLI::App& app, const std::string& name, operator_flags& out)
{
    const auto prefix = environment_prefix(name);
    app.add_option("--kubeconfig", out.kubeconfig, "Kubeconfig file; default: KUBECONFIG, ~/.kube/config, in-cluster")
        ->envname(prefix + "KUBECONFIG");
    app.add_option("--context", out.context, "Context of the kubeconfig; default: the current context")
        ->envname(prefix + "CONTEXT");
    const auto take_namespaces = [&out](const std::vector<std::string>& lists) {
        out.namespaces.clear();
        for (const auto& list : lists) add_elements(out.namespaces, list);
    };
    app.add_option_function<std::vector<std::string>>("-n,--namespace", take_namespaces,
                                                      "Work in this namespace only; may be repeated. Default: all")
        ->take_all()
        ->allow_extra_args(false)
        ->envname(prefix + "NAMESPACE")
        ->check(wrong_namespaces);
    app.add_option("--log-level", out.level, "trace, debug, info, warning or error; default: info")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error"}).description(""))
        ->envname(prefix + "LOG_LEVEL");
    app.add_option("--log-format", out.format, "text, or json: one object per line; default: text")
        ->check(CLI::IsMember({"text", "json"}).description(""))
        ->envname(prefix + "LOG_FORMAT");
    app.add_option("--metrics-address", out.metrics,
                   "Serve /metrics there: 8080 is loopback, :8080 every interface, 0 off")
        ->envname(prefix + "METRICS_ADDRESS");
    app.add_option("--metrics-certificate", out.certificate_file, "PEM file: serve metrics over TLS; followed")
        ->envname(prefix + "METRICS_CERTIFICATE");
    app.add_option("--metrics-key", out.key_file, "PEM file with the private key of the certificate")
        ->envname(prefix + "METRICS_KEY");
    app.add_flag("--metrics-secure,!--no-metrics-secure", out.secure,
                 "Serve metrics and debug pages only to tokens that the API server allows to get them")
        ->check(wrong_switch)
        ->envname(prefix + "METRICS_SECURE");
    app.add_option("--health-address", out.health, "Serve /livez and /readyz there; as --metrics-address")
        ->envname(prefix + "HEALTH_ADDRESS");
    app.add_flag("--leader-election,!--no-leader-election", out.elects, "Whether one replica works at a time")
        ->check(wrong_switch)
        ->envname(prefix + "LEADER_ELECTION");
    app.add_option("--leader-election-lease", out.lease, "Name of the Lease that the replicas share")
        ->check(wrong_lease)
        ->envname(prefix + "LEADER_ELECTION_LEASE");
    app.add_option("--leader-election-namespace", out.lease_namespace, "Its namespace; default: the program's own")
        ->check(wrong_namespace)
        ->envname(prefix + "LEADER_ELECTION_NAMESPACE");
    app.add_option("--trace-file", out.trace_file, "Write traces there, for a collector of OpenTelemetry")
        ->envname(prefix + "TRACE_FILE");
    app.add_option("--trace-sample", out.trace_sample, "The share of traces that are recorded, 0 to 1; default: 1")
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->envname(prefix + "TRACE_SAMPLE");
    app.add_flag("--trace-ids,!--no-trace-ids", out.trace_ids,
                 "Without a file: log lines and requests have the ids of traces all the same")
        ->check(wrong_switch)
        ->envname(prefix + "TRACE_IDS");
    app.add_option("--print-rbac", out.print_rbac,
                   "Print the rights that the operator needs, for a service account in that namespace, and end")
        ->type_name("NAMESPACE")
        ->check(wrong_namespace);
    app.add_option("--print-cluster-rbac", out.print_cluster_rbac,
                   "Print the rights that the operator needs in the clusters that join it, and end")
        ->type_name("NAMESPACE")
        ->check(wrong_namespace);
    app.add_option("--print-webhooks", out.print_webhooks,
                   "Print the Service and the configurations of the operator's webhooks with its rights, and end")
        ->type_name("NAMESPACE")
        ->check(wrong_namespace);
    app.add_flag("-v,--verbose", out.verbosity, "Log one level more than --log-level says; -vv two");
}

void add_webhooks_flag(CLI::App& app, const std::string& name, operator_flags& out)
{
    app.add_option("--webhooks-address", out.webhooks, "Serve webhooks there: :9443; 0 off, outside of a cluster")
        ->envname(environment_prefix(name) + "WEBHOOKS_ADDRESS");
}

void add_own_flags(CLI::App& app, const std::string& name, const std::function<void(CLI::App&)>& add)
{
    const auto before = app.get_options();
    add(app);
    for (auto* const option : app.get_options()) {
        const bool own = std::find(before.begin(), before.end(), option) == before.end();
        if (own && option->get_envname().empty() && !option->get_lnames().empty())
            option->envname(environment_prefix(name) + variable_of(option->get_lnames().front()));
    }
}

void check_environment(const CLI::App& app)
{
    constexpr std::size_t longest_value = 100;
    for (const auto* option : app.get_options()) {
        const auto variable = option->get_envname();
        const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
        if (value == nullptr || *value == '\0' || option->count() != 0) continue;
        throw CLI::ValidationError(variable,
                                   "\"" + printable(value, longest_value) + "\" is no value of " + option->get_name());
    }
}

} // namespace kubecoro::detail
