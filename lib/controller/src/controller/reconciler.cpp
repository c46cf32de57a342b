#include <kubecoro/controller/reconciler.hpp>

#include "controller/run_tracer.hpp"

#include <utility>

namespace kubecoro {
using namespace detail;

reconcile_context::reconcile_context(settings s) : settings_(std::move(s))
{
    if (!settings_.time) settings_.time = real_clock();
}

logger reconcile_context::log() const
{
    std::vector<std::pair<std::string, std::string>> fields{{"controller", std::string(settings_.controller)},
                                                            {"object", to_string(settings_.key)}};
    if (const auto run = trace())
        for (auto& id : log_fields(run)) fields.push_back(std::move(id));
    return settings_.log.with(std::move(fields));
}

span reconcile_context::span(std::string_view name) const
{
    return settings_.span != nullptr ? settings_.span->part(name) : kubecoro::span();
}

bool reconcile_context::is_cancelled() const noexcept
{
    if (settings_.cancelled != nullptr && settings_.cancelled->load(std::memory_order_relaxed)) return true;
    return settings_.deadline && settings_.time->now() >= *settings_.deadline;
}

void reconcile_context::wrote(const object& answer)
{
    writes_.push_back({.group = group_version::parse(answer.api_version()).group,
                       .kind = std::string(answer.kind()),
                       .key = object_key(answer.key()),
                       .resource_version = std::string(answer.resource_version())});
}

void reconcile_context::wrote(const resource_type& resource, object_key key, kept_text resource_version)
{
    writes_.push_back({.group = resource.group,
                       .kind = resource.kind,
                       .key = std::move(key),
                       .resource_version = std::move(resource_version)});
}

} // namespace kubecoro
