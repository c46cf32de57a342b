// Answers requests of subresources: an object's scale, and a pod's eviction and binding.
#include "objects/status_errors.hpp"
#include "state/conversions.hpp"
#include "state/disruption_budgets.hpp"
#include "state/scale.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/body.hpp"
#include "verbs/exchange.hpp"

namespace kubecoro::apiserver {
namespace {

/// A Scale is of a built-in kind, whatever it scales.
http_response scale_response(const exchange& x, const stored_object& object)
{
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!chosen) return respond(chosen.error());
    return object_response(to_text(scale_of(x.store->info, object)), chosen->form);
}

} // namespace

http_response answer_scale_get(exchange& x)
{
    const auto found = x.state.get(x.address());
    if (!found) return respond(found.error());
    return scale_response(x, **found);
}

http_response answer_scale_update(exchange& x, write_flags flags)
{
    auto body = read_part(x, "autoscaling/v1", "Scale");
    if (!body) return respond(body.error());
    if (auto e = check_place(x, *body)) return respond(*e);
    return write_scale(x, std::move(*body), std::move(flags));
}

http_response answer_scale_apply(exchange& x, json::value config, write_flags flags)
{
    const auto applied = x.state.apply_scale(x.address(), std::move(config), std::move(flags), x.now);
    if (!applied) return respond(applied.error());
    return scale_response(x, **applied);
}

http_response write_scale(exchange& x, json::value scale, write_flags flags)
{
    const auto current = x.state.get(x.address());
    if (!current) return respond(current.error());
    const auto before = scale_of(x.store->info, **current);
    if (flags.scale_admission)
        if (auto e = flags.scale_admission(&before, scale, false)) return respond(*e);
    auto body = to_json(**current);
    if (auto taken = take_scale(x.store->info, scale, body); !taken) return respond(taken.error());
    const auto at = in_own_version(x.address(), **current);
    const auto result = x.state.update(at, std::move(body), std::move(flags), x.now);
    if (!result) return respond(result.error());
    return scale_response(x, **result);
}

namespace {

/// A Status of a request that was carried out, in the form that was asked for.
http_response done(const exchange& x)
{
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!chosen) return respond(chosen.error());
    return object_response(success_text(201), chosen->form, 201);
}

std::optional<status_error> check_name(const exchange& x, const json::value& body, std::string_view kind)
{
    if (text_at(body, "metadata.name") == x.route.name) return {};
    return errors::bad_request("name in URL does not match name in " + std::string(kind) + " object");
}

} // namespace

http_response answer_eviction(exchange& x)
{
    const auto flags = read_write_flags(x, "CreateOptions");
    if (!flags) return respond(flags.error());
    auto body = read_part(x, "policy/v1", "Eviction");
    if (!body) return respond(body.error());
    if (auto e = check_name(x, *body, "Eviction")) return respond(*e);
    if (auto e = review_part(x, *body, flags->dry_run)) return respond(*e);
    const auto* options = find_at(*body, "deleteOptions");
    auto how = options ? delete_options_of(*options) : delete_request{};
    how.dry_run = how.dry_run || flags->dry_run;
    auto at = x.address();
    at.subresource.clear();
    const auto pod = x.state.get(at);
    if (!pod) return respond(pod.error());
    const auto removed = x.state.evict(at, how, x.now);
    if (removed) return done(x);
    // A kube-apiserver answers several budgets with the Status of a failure, as the object that was created.
    const bool several = removed.error().code == 500 && x.state.budgets().of(**pod).size() > 1;
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!several || !chosen) return respond(removed.error());
    return object_response(status_text(removed.error()), chosen->form, 201);
}

http_response answer_binding(exchange& x)
{
    const auto flags = read_write_flags(x, "CreateOptions");
    if (!flags) return respond(flags.error());
    auto body = read_part(x, "v1", "Binding");
    if (!body) return respond(body.error());
    if (auto e = check_name(x, *body, "Binding")) return respond(*e);
    if (auto e = review_part(x, *body, flags->dry_run)) return respond(*e);
    const std::string node(text_at(*body, "target.name"));
    if (node.empty()) return respond(errors::invalid("Binding", "", x.route.name, {errors::required("target.name")}));
    const auto current = x.state.get(x.address());
    if (!current) return respond(current.error());
    auto pod = to_json(**current);
    if (const auto held = text_at(pod, "spec.nodeName"); !held.empty()) {
        auto e = errors::make(409, "Conflict",
                              "Operation cannot be fulfilled on pods/binding \"" + x.route.name + "\": pod " +
                                  x.route.name + " is already assigned to node " + quote(held));
        e.name = x.route.name;
        e.kind = "pods/binding";
        return respond(e);
    }
    object_member(pod.get_object(), "spec")["nodeName"] = node;
    auto& status = object_member(pod.get_object(), "status");
    auto& conditions = status["conditions"];
    if (!conditions.is_array()) conditions = json::array{};
    conditions.get_array().push_back(
        {{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", format_time(x.now)}});
    const auto bound = x.state.update(x.address(), std::move(pod), *flags, x.now);
    if (!bound) return respond(bound.error());
    return done(x);
}

} // namespace kubecoro::apiserver
