#include <kubecoro/client/apply.hpp>

#include "apply/apply_body.hpp"
#include "rest/client_state.hpp"
#include "rest/write_checker.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

constexpr int migration_attempts = 5;

asio::awaitable<result<object>> send_apply(std::shared_ptr<client::state> s, result<request> r,
                                           std::optional<detail::checked_body> check, detail::write_target what)
{
    if (r && check) {
        if (auto sound = co_await s->checker().check(detail::client_access::client_of(s), *r, *std::move(check));
            !sound)
            co_return sound.error();
    }
    auto applied = co_await s->fetch_object(std::move(r));
    detail::note_write(co_await asio::this_coro::executor, *s, what, applied);
    if (!applied) co_return detail::apply_failure(applied.error());
    co_return applied;
}

result<request> apply_request(resource_type resource, std::string ns, std::string_view name, std::string text,
                              const apply_options& options, std::string_view subresource)
{
    auto body = detail::apply_body(resource, ns, name, std::move(text), subresource);
    if (!body) return body.error();
    patch_options how;
    how.write.dry_run = options.dry_run;
    how.write.field_manager = options.field_manager;
    how.write.validation = options.validation;
    how.force = options.force;
    const request_builder builder(std::move(resource), std::move(ns));
    return builder.patch(name, patch_kind::apply, std::move(*body), how, subresource);
}

asio::awaitable<result<bool>> migrate(client c, resource_type resource, std::string ns, std::string name,
                                      apply_migration how)
{
    if (detail::client_access::state_of(c)->options.decode.prunes())
        co_return failure(cond::misconfigured, "the client drops fields while decoding: migration needs all of them");
    for (int left = migration_attempts;; --left) {
        KUBECORO_TRY(auto live, co_await c.get(resource, ns, name));
        auto patch = migration_patch(live, how);
        if (!patch) co_return patch.error();
        if (!*patch) co_return false;
        auto written = co_await c.patch(resource, ns, name, patch_kind::json, std::move(**patch));
        if (written) co_return true;
        if (written.error().condition() != cond::conflict || left == 1) co_return written.error();
    }
}

} // namespace

asio::awaitable<result<object>> client::apply(resource_type resource, kept_text ns, kept_text name, json_text body,
                                              apply_options options, kept_text subresource) const
{
    if (body.partial)
        return catch_failure(
            send_apply(state_, failure(cond::invalid, "the object is partial: fields are missing"), {}, {}));
    options.validation = state_->checker().chosen(options.validation);
    std::optional<detail::checked_body> check;
    if (options.validation == field_validation::client)
        check = detail::body_to_check(resource, subresource, detail::body_role::applied);
    auto what = detail::target_of(resource, ns, options.dry_run);
    auto sent = apply_request(std::move(resource), std::move(ns), name, std::move(body.text), options, subresource);
    return catch_failure(send_apply(state_, std::move(sent), std::move(check), std::move(what)));
}

asio::awaitable<result<object>> resource_client<object>::apply(kept_text name, json_text body, apply_options options,
                                                               kept_text subresource) const
{
    return client_.apply(type_, ns_, std::move(name), std::move(body), std::move(options), std::move(subresource));
}

asio::awaitable<result<bool>> migrate_to_apply(client c, resource_type resource, kept_text ns, kept_text name,
                                               apply_migration how)
{
    return catch_failure(migrate(std::move(c), std::move(resource), std::move(ns), std::move(name), std::move(how)));
}

} // namespace kubecoro
