#include "state/scale.hpp"
#include "objects/status_errors.hpp"
#include "text/json_text.hpp"
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
    const auto body = read_part(x, "autoscaling/v1", "Scale");
    if (!body) return respond(body.error());
    if (auto e = check_place(x, *body)) return respond(*e);
    return write_scale(x, *body, flags);
}

http_response answer_scale_apply(exchange& x, json::value config, write_flags flags)
{
    const auto applied = x.state.apply_scale(x.address(), std::move(config), std::move(flags), x.now);
    if (!applied) return respond(applied.error());
    return scale_response(x, **applied);
}

http_response write_scale(exchange& x, const json::value& scale, write_flags flags)
{
    const auto current = x.state.get(x.address());
    if (!current) return respond(current.error());
    auto body = to_json(**current);
    if (auto taken = take_scale(x.store->info, scale, body); !taken) return respond(taken.error());
    const auto result = x.state.update(x.address(), std::move(body), std::move(flags), x.now);
    if (!result) return respond(result.error());
    return scale_response(x, **result);
}

} // namespace kubecoro::apiserver
