// Answers DELETE of one object or of a collection.
#include "objects/registry.hpp"
#include "objects/status_errors.hpp"
#include "request/list_query.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/body.hpp"
#include "verbs/exchange.hpp"

namespace kubecoro::apiserver {
namespace {

/// Why an object that a cluster needs may not be deleted; empty: it may. kube-apiserver protects the same.
std::string_view protection(const exchange& x)
{
    const std::string_view name = x.route.name;
    if (x.store->info.behaves == builtin::priority_class && find_system_priority_class(name))
        return "this is a system priority class and cannot be deleted";
    if (x.store->info.behaves != builtin::namespace_) return {};
    const bool needed = name == "default" || name == "kube-system" || name == "kube-public";
    return needed ? "this namespace may not be deleted" : "";
}

/// Objects that one step of the deletion of a collection deletes, and changes after which it ends early: the deletion of
/// a definition deletes the objects of its kind too. Some milliseconds.
constexpr std::size_t objects_a_step = 100;
constexpr std::uint64_t changes_a_step = 200;

/** Deletes the objects of a page, in its order, by their names: one that was created again in the meantime goes too, and
    one that has gone is passed over. The first refusal ends it; what was deleted before stays so. */
class collection_deletion final : public pending_answer
{
public:
    collection_deletion(exchange x, delete_request how, list_page page, rendering form)
        : x_(std::move(x)), how_(std::move(how)), page_(std::move(page)), form_(std::move(form))
    {
    }

    std::optional<http_response> step(wall_time now) override
    {
        x_.now = now;
        auto refused = delete_some();
        const bool waits = refused && refused->code == 0;
        if (waits || (!refused && next_ < page_.items.size())) return {};
        auto answered = refused ? respond(*refused) : list_response(x_, std::move(page_), std::move(form_));
        finish(x_, answered);
        return answered;
    }

private:
    [[nodiscard]] std::optional<status_error> delete_some()
    {
        const auto& state = x_.state;
        // A resource may go, with all its objects, while its collection is deleted.
        if (state.find(x_.route.group, x_.route.plural) != x_.store) next_ = page_.items.size();
        const auto enough = state.resource_version() + changes_a_step;
        for (auto left = objects_a_step; left > 0 && next_ < page_.items.size(); --left) {
            if (state.resource_version() >= enough) break;
            auto at = x_.address();
            at.ns = page_.items[next_]->ns;
            at.name = page_.items[next_]->name;
            if (auto e = review(at)) return e;
            const auto removed = x_.state.remove(at, how_, x_.now);
            if (!removed && removed.error().code != 404) return removed.error();
            ++next_;
        }
        return {};
    }

    /// @return the refusal of webhooks; its code is 0 while they are asked.
    [[nodiscard]] std::optional<status_error> review(const object_address& at) const
    {
        const auto found = x_.state.get(at);
        if (!found || !x_.request.reviews) return {};
        auto refused = review_deletion(x_, **found, {}, how_.dry_run);
        if (!refused) x_.request.reviews->next_object();
        return refused;
    }

    exchange x_;
    delete_request how_;
    list_page page_;
    rendering form_;
    std::size_t next_ = 0;
};

/// A deletion reads its object first, in the version of the request.
std::optional<status_error> check_readable(const exchange& x, const stored& object)
{
    const auto read = x.versions().shown(x.store->info, object, x.route.version);
    return read ? std::nullopt : std::optional(read.error());
}

} // namespace

http_response answer_delete(exchange& x)
{
    if (const auto why = protection(x); !why.empty())
        return respond(errors::forbidden(x.store->info, x.route.name, why));
    const auto chosen = choose_media(x);
    if (!chosen) return respond(chosen.error());
    const auto how = read_delete_options(x);
    if (!how) return respond(how.error());
    if (const auto found = x.state.get(x.address())) {
        if (auto e = check_readable(x, *found)) return respond(*e);
        if (auto e = review_deletion(x, **found, x.route.name, how->dry_run)) return respond(*e);
    }
    const auto result = x.state.remove(x.address(), *how, x.now);
    if (!result) return respond(result.error());
    const auto& info = x.store->info;
    if (!result->gone || info.delete_answers_object) {
        const auto form = choose_rendering(x, false);
        if (!form) return respond(form.error());
        const auto shown = x.versions().shown(info, result->last, x.route.version);
        if (!shown) return respond(shown.error());
        return object_response(render_object(info, *shown, *form, x.now), form->form);
    }
    std::string body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":)";
    body += quote(result->last->name);
    if (!info.group.empty()) body += R"(,"group":)" + quote(info.group);
    body += R"(,"kind":)" + quote(info.plural) + R"(,"uid":)" + quote(result->last->uid) + "}}";
    return object_response(std::move(body), chosen->form);
}

http_response answer_delete_collection(exchange& x)
{
    const auto how = read_delete_options(x);
    if (!how) return respond(how.error());
    const auto query = read_list_query(x.target, false);
    if (!query) return respond(query.error());
    auto form = choose_rendering(x, true);
    if (!form) return respond(form.error());
    const auto selected =
        selection::parse(x.store->info, x.route.version, query->label_selector, query->field_selector);
    if (!selected) return respond(selected.error());
    auto page = make_page(*x.store, x.route.ns, *query, *selected, x.versions(), x.route.version);
    if (!page) return respond(page.error());
    http_response r;
    r.pending = std::make_unique<collection_deletion>(std::move(x), *how, std::move(*page), std::move(*form));
    return r;
}

} // namespace kubecoro::apiserver
