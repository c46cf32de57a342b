#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/cache/conditions.hpp>

#include <algorithm>
#include <exception>

namespace kubecoro {
using namespace detail;
namespace {

value_view condition_of_type(const object& o, std::string_view type)
{
    for (const auto c : o["status"]["conditions"].items())
        if (c["type"].as_string() == type) return c;
    return {};
}

bool has_condition(const object& o, std::string_view type, std::string_view status)
{
    const auto c = condition_of_type(o, type);
    return c && c["status"].as_string() == status;
}

bool observed(const object& o) { return o && o["status"]["observedGeneration"].as_int64() >= o.generation(); }

std::string_view phase(const object& o) { return o["status"]["phase"].as_string(); }

std::int64_t in_status(const object& o, std::string_view member) { return o["status"][member].as_int64(); }

void append_condition(std::string& out, value_view c)
{
    out.append(", ").append(c["type"].as_string()).append("=").append(c["status"].as_string());
    if (const auto reason = c["reason"].as_string(); !reason.empty()) out.append(" (").append(reason).append(")");
}

/// Appends the numbers that show progress.
void append_progress(std::string& out, const object& o)
{
    const auto status = o["status"];
    if (status["observedGeneration"])
        out.append(", generation ")
            .append(std::to_string(o.generation()))
            .append(" observed ")
            .append(std::to_string(status["observedGeneration"].as_int64()));
    for (const std::string_view name :
         {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "active", "succeeded", "failed"})
        if (status[name]) out.append(", ").append(name).append(" ").append(std::to_string(status[name].as_int64()));
}

} // namespace

result<bool> object_condition::operator()(const object& o) const
{
    try {
        return question_(o);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

std::string brief_status(const object& o)
{
    if (!o) return "absent";
    std::string out = to_string(o.key());
    out.append(" at version ").append(o.resource_version());
    if (o.being_deleted()) out.append(", being deleted");
    if (!phase(o).empty()) out.append(", phase ").append(phase(o));
    for (const auto c : o["status"]["conditions"].items()) append_condition(out, c);
    append_progress(out, o);
    return out;
}

namespace conditions {

object_condition deleted(kept_text uid)
{
    return {"deleted", [uid = std::move(uid)](const object& o) { return !o || (!uid.empty() && !o.has_uid(uid)); }};
}

object_condition exists()
{
    return {"present", [](const object& o) { return static_cast<bool>(o); }};
}

object_condition condition_is(kept_text type, kept_text status)
{
    std::string name = type + "=" + status;
    return {std::move(name), [type = std::move(type), status = std::move(status)](const object& o) {
                return has_condition(o, type, status);
            }};
}

object_condition condition_true(kept_text type) { return condition_is(std::move(type), "True"); }

object_condition generation_observed()
{
    return {"observed at its current generation", [](const object& o) { return observed(o); }};
}

object_condition crd_established()
{
    return {"established", [](const object& o) -> result<bool> {
                if (has_condition(o, "NamesAccepted", "False"))
                    return failure(cond::conflict,
                                   "the names of " + std::string(o.name()) + " are not accepted: " +
                                       std::string(condition_of_type(o, "NamesAccepted")["message"].as_string()));
                return has_condition(o, "Established", "True");
            }};
}

object_condition pod_running()
{
    return {"running", [](const object& o) { return phase(o) == "Running"; }};
}

object_condition pod_ready()
{
    return {"ready", [](const object& o) { return has_condition(o, "Ready", "True"); }};
}

object_condition pod_finished()
{
    return {"finished", [](const object& o) { return phase(o) == "Succeeded" || phase(o) == "Failed"; }};
}

object_condition job_complete()
{
    return {"complete", [](const object& o) { return has_condition(o, "Complete", "True"); }};
}

object_condition job_failed()
{
    return {"failed", [](const object& o) { return has_condition(o, "Failed", "True"); }};
}

object_condition job_finished()
{
    return {"finished",
            [](const object& o) { return has_condition(o, "Complete", "True") || has_condition(o, "Failed", "True"); }};
}

object_condition deployment_available()
{
    return {"available", [](const object& o) { return observed(o) && has_condition(o, "Available", "True"); }};
}

object_condition deployment_rolled_out()
{
    return {"rolled out", [](const object& o) -> result<bool> {
                if (!observed(o)) return false;
                if (condition_of_type(o, "Progressing")["reason"].as_string() == "ProgressDeadlineExceeded")
                    return failure(cond::timed_out, to_string(o.key()) + " has exceeded its progress deadline");
                const auto updated = in_status(o, "updatedReplicas");
                return updated >= o["spec"]["replicas"].as_int64(1) && in_status(o, "replicas") <= updated &&
                       in_status(o, "availableReplicas") >= updated;
            }};
}

object_condition statefulset_rolled_out()
{
    return {"rolled out", [](const object& o) -> result<bool> {
                if (!o) return false;
                const auto strategy = o["spec"]["updateStrategy"];
                if (strategy["type"].as_string("RollingUpdate") != "RollingUpdate")
                    return failure(cond::invalid, to_string(o.key()) + " is not updated by RollingUpdate");
                if (o["status"]["observedGeneration"].as_int64() == 0 || !observed(o)) return false;
                const auto wanted = o["spec"]["replicas"].as_int64(1);
                if (in_status(o, "readyReplicas") < wanted) return false;
                const auto partition = strategy["rollingUpdate"]["partition"].as_int64();
                if (partition > 0) return in_status(o, "updatedReplicas") >= wanted - partition;
                return o["status"]["updateRevision"].as_string() == o["status"]["currentRevision"].as_string();
            }};
}

namespace {

std::string joined(const std::vector<object_condition>& parts, std::string_view between)
{
    std::string out;
    for (const auto& p : parts) out.append(out.empty() ? "" : between).append(p.name());
    return out;
}

} // namespace

object_condition all_of(std::vector<object_condition> parts)
{
    auto name = joined(parts, " and ");
    return {std::move(name), [parts = std::move(parts)](const object& o) -> result<bool> {
                for (const auto& p : parts)
                    if (const auto met = p(o); !met || !*met) return met;
                return true;
            }};
}

object_condition any_of(std::vector<object_condition> parts)
{
    auto name = joined(parts, " or ");
    return {std::move(name), [parts = std::move(parts)](const object& o) -> result<bool> {
                for (const auto& p : parts)
                    if (const auto met = p(o); !met || *met) return met;
                return false;
            }};
}

object_condition not_(object_condition part)
{
    auto name = "not " + part.name();
    return {std::move(name), [part = std::move(part)](const object& o) -> result<bool> {
                const auto met = part(o);
                if (!met) return met;
                return !*met;
            }};
}

} // namespace conditions
} // namespace kubecoro
