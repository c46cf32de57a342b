#include "marks.hpp"

namespace kubecoro::config_reloader::marks {

namespace {

/// Suffix for a template that already has the checksum because it was set back to an older state: without it the patch
/// would change nothing and roll no pods.
constexpr std::string_view again = "-again";

std::string_view on(const view<core_v1::pod_template_spec>& pods) { return pods.metadata().annotations()[checksum]; }

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

std::string_view last_applied(const object& workload, const view<core_v1::pod_template_spec>& pods)
{
    auto rolled_for = on(pods);
    if (rolled_for.ends_with(again)) rolled_for.remove_suffix(again.size());
    return workload.annotations()[applied].as_string(rolled_for);
}

std::string template_mark(const view<core_v1::pod_template_spec>& pods, std::string_view sum)
{
    std::string out(sum);
    if (on(pods) == sum) out += again;
    return out;
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
