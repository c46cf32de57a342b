// Answers DELETE of one object or of a collection.
#include "http/exchange.hpp"
#include "render/json_text.hpp"
#include "render/status_errors.hpp"
#include "verbs/body.hpp"
#include "verbs/list_page.hpp"

namespace kubecoro::apiserver {
namespace {

/// Namespaces that a cluster needs; kube-apiserver protects the same.
bool is_protected(const exchange& x)
{
    if (x.store->info.behaves != builtin::namespace_) return false;
    return x.route.name == "default" || x.route.name == "kube-system" || x.route.name == "kube-public";
}

} // namespace

http_response answer_delete(exchange& x)
{
    if (is_protected(x))
        return respond(errors::forbidden(x.store->info, x.route.name, "this namespace may not be deleted"));
    const auto chosen = choose_media(x);
    if (!chosen) return respond(chosen.error());
    const auto how = read_delete_options(x);
    if (!how) return respond(how.error());
    const auto result = x.state.remove(x.address(), *how, x.now);
    if (!result) return respond(result.error());
    const auto& info = x.store->info;
    if (!result->gone || info.delete_answers_object) {
        const auto form = choose_rendering(x, false);
        if (!form) return respond(form.error());
        return object_response(x, render_object(info, result->last, *form, x.now), form->form);
    }
    std::string body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":)";
    body += quoted(result->last->name);
    if (!info.group.empty()) body += R"(,"group":)" + quoted(info.group);
    body += R"(,"kind":)" + quoted(info.plural) + R"(,"uid":)" + quoted(result->last->uid) + "}}";
    return object_response(x, std::move(body), chosen->form);
}

http_response answer_delete_collection(exchange& x)
{
    const auto how = read_delete_options(x);
    if (!how) return respond(how.error());
    const auto query = read_list_query(x.target, false);
    if (!query) return respond(query.error());
    auto form = choose_rendering(x, true);
    if (!form) return respond(form.error());
    const auto selected = selection::parse(x.store->info, query->label_selector, query->field_selector);
    if (!selected) return respond(selected.error());
    auto page = make_page(*x.store, x.route.ns, *query, *selected);
    if (!page) return respond(page.error());
    for (const auto& object : page->items) {
        auto at = x.address();
        at.ns = object->ns;
        at.name = object->name;
        const auto removed = x.state.remove(at, *how, x.now);
        if (!removed && removed.error().code != 404) return respond(removed.error());
    }
    return list_response(x, std::move(*page), std::move(*form));
}

} // namespace kubecoro::apiserver
