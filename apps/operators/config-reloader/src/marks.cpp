#include "marks.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace kubecoro::config_reloader::marks {

namespace json = boost::json;

namespace {

/// Suffix for a template that already has the checksum because it was set back to an older state: without it the patch
/// would change nothing and roll no pods.
constexpr std::string_view again = "-again";

std::string_view on_template(const object& workload)
{
    return workload["spec"]["template"]["metadata"]["annotations"][checksum].as_string();
}

json::object recording(const object& workload, std::string_view sum)
{
    json::object metadata{{"resourceVersion", workload.resource_version()}, {"annotations", {{applied, sum}}}};
    return {{"metadata", std::move(metadata)}};
}

} // namespace

bool mentioned(const object& workload) { return bool(workload.annotations()[reload]); }

result<bool> asked(const object& workload)
{
    const auto mark = workload.annotations()[reload];
    if (!mark) return false;
    const auto text = mark.as_string();
    if (text == "true") return true;
    if (text == "false") return false;
    static constexpr std::size_t shown = 40;
    return failure(cond::invalid, "the annotation " + std::string(reload) + " must be \"true\" or \"false\", not \"" +
                                      std::string(text.substr(0, shown)) + (text.size() > shown ? "...\"" : "\""));
}

std::string_view last_applied(const object& workload)
{
    auto rolled_for = on_template(workload);
    if (rolled_for.ends_with(again)) rolled_for.remove_suffix(again.size());
    return workload.annotations()[applied].as_string(rolled_for);
}

std::string rolling_patch(const object& workload, std::string_view sum)
{
    std::string text(sum);
    if (on_template(workload) == text) text += again;
    auto patch = recording(workload, sum);
    patch["spec"] = {{"template", {{"metadata", {{"annotations", {{checksum, text}}}}}}}};
    return json::serialize(patch);
}

std::string recording_patch(const object& workload, std::string_view sum)
{
    return json::serialize(recording(workload, sum));
}

std::vector<std::string> paths()
{
    const auto annotation = [](std::string_view of, std::string_view name) {
        return std::string(of) + "metadata.annotations[\"" + std::string(name) + "\"]";
    };
    return {annotation("", reload), annotation("", applied), annotation("spec.template.", checksum),
            "metadata.generation", "metadata.deletionTimestamp"};
}

} // namespace kubecoro::config_reloader::marks
