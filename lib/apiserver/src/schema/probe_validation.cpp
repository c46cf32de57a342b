#include "schema/probe_validation.hpp"

#include "objects/status_errors.hpp"
#include "schema/port_names.hpp"
#include "text/json_text.hpp"

#include <string_view>

namespace kubecoro::apiserver {
namespace {

using errors::forbidden_field;
using errors::invalid_value;
using errors::required;

void check_handler(std::string_view kind, const json::value& handler, const std::string& path,
                   std::vector<status_cause>& causes)
{
    if (kind == "exec") {
        const auto* command = array_at(handler, "command");
        if (!command || command->empty()) causes.push_back(required(path + ".command"));
        return;
    }
    if (kind == "sleep") return;
    if (kind == "httpGet") {
        if (text_at(handler, "path").empty()) causes.push_back(required(path + ".path"));
        const auto scheme = text_at(handler, "scheme");
        if (scheme != "HTTP" && scheme != "HTTPS")
            causes.push_back(errors::not_supported(path + ".scheme", quote(scheme), R"("HTTP", "HTTPS")"));
    }
    validate_port(find_at(handler, "port"), path + ".port", causes);
}

void check_handlers(const json::value& owner, const std::string& path, std::vector<status_cause>& causes)
{
    bool has_one = false;
    for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
        const auto* handler = find_at(owner, kind);
        if (!handler || !handler->is_object()) continue;
        const auto at = path + "." + std::string(kind);
        if (has_one)
            causes.push_back(forbidden_field(at, "may not specify more than 1 handler type"));
        else
            check_handler(kind, *handler, at, causes);
        has_one = true;
    }
    if (!has_one) causes.push_back(required(path, "must specify a handler type"));
}

void check_probe(const json::value& probe, bool is_readiness, const std::string& path,
                 std::vector<status_cause>& causes)
{
    check_handlers(probe, path, causes);
    for (const std::string_view member :
         {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"})
        if (const auto number = int_at(probe, member); number < 0)
            causes.push_back(invalid_value(path + "." + std::string(member), std::to_string(number),
                                           "must be greater than or equal to 0"));
    if (const auto number = int_at(probe, "successThreshold"); !is_readiness && number != 1 && number >= 0)
        causes.push_back(invalid_value(path + ".successThreshold", std::to_string(number), "must be 1"));
    const auto field = path + ".terminationGracePeriodSeconds";
    const auto* grace = find_at(probe, "terminationGracePeriodSeconds");
    if (!grace || grace->is_null()) return;
    if (is_readiness)
        causes.push_back(invalid_value(field, to_text(*grace), "must not be set for readinessProbes"));
    else if (int_at(probe, "terminationGracePeriodSeconds") <= 0)
        causes.push_back(invalid_value(field, to_text(*grace), "must be greater than 0"));
}

} // namespace

void validate_probes(const json::value& container, bool is_short_lived, const std::string& path,
                     std::vector<status_cause>& causes)
{
    const auto refuse = [&](std::string_view member) {
        causes.push_back(forbidden_field(path + "." + std::string(member),
                                         "may not be set for init containers without restartPolicy=Always"));
    };
    for (const std::string_view member : {"livenessProbe", "readinessProbe", "startupProbe"})
        if (const auto* probe = find_at(container, member); probe && probe->is_object()) {
            if (is_short_lived)
                refuse(member);
            else
                check_probe(*probe, member == "readinessProbe", path + "." + std::string(member), causes);
        }
    const auto* lifecycle = find_at(container, "lifecycle");
    if (!lifecycle || !lifecycle->is_object()) return;
    if (is_short_lived) {
        refuse("lifecycle");
        return;
    }
    for (const std::string_view hook : {"postStart", "preStop"})
        if (const auto* handler = find_at(*lifecycle, hook); handler && handler->is_object())
            check_handlers(*handler, path + ".lifecycle." + std::string(hook), causes);
}

} // namespace kubecoro::apiserver
