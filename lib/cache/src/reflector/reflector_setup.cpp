#include "reflector/reflector_setup.hpp"

#include "reflector/canonical_selector.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <utility>

namespace kubecoro::detail {
namespace {

std::optional<failure> refusal(const resource_type& resource, const reflector_options& o)
{
    if (!o.executor) return failure(cond::misconfigured, "the reflector has no executor");
    if (!resource.namespaced && !o.ns.empty())
        return failure(cond::misconfigured, resource.display_name() + " are cluster-scoped: leave ns empty");
    return std::nullopt;
}

/// Everything but the source.
reflector_setup set_up(const resource_type& resource, reflector_options o)
{
    reflector_setup s;
    s.refused = refusal(resource, o);
    s.expected = {.kind = resource.kind, .api_version = resource.api_version(), .ns = std::move(o.ns)};
    s.policy = o.policy;
    s.executor = o.executor;
    s.time = o.time ? std::move(o.time) : real_clock();
    if (o.log) s.log = std::move(*o.log);
    random_source seeds;
    seeds.seed(o.seed ? *o.seed : random_seed());
    s.seed = seeds();
    s.relists = o.relists ? *o.relists : relist_budget(relists_at_once, relist_spread, s.time, seeds());
    s.on_failure = std::move(o.on_failure);
    return s;
}

} // namespace

reflector_setup set_up(const std::shared_ptr<source_provider>& provider, const resource_type& resource,
                       reflector_options options)
{
    auto defaults = provider->defaults();
    if (!options.executor) options.executor = provider->executor();
    if (!options.time) options.time = std::move(defaults.time);
    if (!options.log) options.log = std::move(defaults.log);
    const source_scope scope{.ns = options.ns,
                             .label_selector = canonical<label_selector>(options.label_selector),
                             .field_selector = canonical<field_selector>(options.field_selector),
                             .decode = options.decode};
    auto s = set_up(resource, std::move(options));
    if (s.refused) return s;
    try {
        s.source = provider->open(resource, scope);
    } catch (...) {
        s.refused = to_failure(std::current_exception());
    }
    return s;
}

reflector_setup set_up(std::shared_ptr<list_watch_source> source, const resource_type& resource,
                       reflector_options options)
{
    auto s = set_up(resource, std::move(options));
    s.source = std::move(source);
    return s;
}

} // namespace kubecoro::detail
