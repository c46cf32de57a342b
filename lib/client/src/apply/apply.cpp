// Server-side apply: checks the body, and reads the conflicts of a refused one from the server's causes.
#include <kubecoro/client/apply.hpp>

#include "apply/apply_body.hpp"
#include "rest/client_state.hpp"
#include "rest/write_checker.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

// That of decode_limits.
constexpr std::size_t max_depth = 200;

failure refuse(std::string why) { return failure(cond::invalid, "the body of an apply " + std::move(why)); }

/// Adds a member that is missing. False: there is another value.
bool fill(json::object& in, std::string_view name, std::string_view text, bool& changed)
{
    auto* found = in.if_contains(name);
    if (found != nullptr && !found->is_null())
        return found->is_string() && std::string_view(found->get_string()) == text;
    in[name] = text;
    changed = true;
    return true;
}

bool is_set(const json::object& in, std::string_view name)
{
    const auto* found = in.if_contains(name);
    return found != nullptr && !found->is_null();
}

result<> check_metadata(const json::object& metadata, std::string_view ns)
{
    if (is_set(metadata, "managedFields"))
        return refuse("has metadata.managedFields: it must hold the fields that this program decides and nothing else; "
                      "see extract()");
    // As for kubectl and the server: an empty namespace is none, and one of a cluster-scoped object is ignored.
    const auto* in = metadata.if_contains("namespace");
    if (in == nullptr || in->is_null() || ns.empty()) return {};
    if (!in->is_string()) return refuse("has a namespace that is not a string");
    const std::string_view own = in->get_string();
    if (!own.empty() && own != ns) return refuse("is for another namespace");
    return {};
}

} // namespace

result<std::string> apply_body(const resource_type& resource, std::string_view ns, std::string_view name,
                               std::string text, std::string_view subresource)
{
    json::parse_options limits;
    limits.max_depth = max_depth;
    boost::system::error_code broken;
    auto parsed = json::parse(text, broken, {}, limits);
    if (broken || !parsed.is_object()) return refuse("is not a JSON object");
    auto& body = parsed.get_object();
    bool changed = false;
    if (subresource.empty()) {
        if (!fill(body, "apiVersion", resource.api_version(), changed)) return refuse("has another apiVersion");
        if (!resource.kind.empty() && !fill(body, "kind", resource.kind, changed)) return refuse("is of another kind");
    }
    auto& metadata = body["metadata"];
    if (metadata.is_null()) metadata = json::object{};
    if (!metadata.is_object()) return refuse("has metadata that are not a JSON object");
    if (auto sound = check_metadata(metadata.get_object(), ns); !sound) return sound.error();
    if (!fill(metadata.get_object(), "name", name, changed)) return refuse("is for another name");
    // An unchanged text keeps the notation of its numbers.
    return changed ? json::serialize(parsed) : std::move(text);
}

failure apply_failure(const failure& f)
{
    if (apply_conflicts(f).empty()) return f;
    return f.because("other managers own some of the fields: leave these out, or take them with write_options::force");
}

} // namespace kubecoro::detail

namespace kubecoro {

namespace asio = boost::asio;

namespace {

bool take(std::string_view& rest, std::string_view prefix)
{
    if (!rest.starts_with(prefix)) return false;
    rest.remove_prefix(prefix.size());
    return true;
}

/// Takes a text that Go has quoted; a backslash before any character but a quote and a backslash is kept.
std::optional<std::string> take_quoted(std::string_view& rest)
{
    if (!rest.starts_with('"')) return std::nullopt;
    std::string text;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] == '"') {
            rest.remove_prefix(i + 1);
            return text;
        }
        const bool escaped = rest[i] == '\\' && i + 1 < rest.size();
        if (escaped && rest[i + 1] != '"' && rest[i + 1] != '\\') text += '\\';
        if (escaped) ++i;
        text += rest[i];
    }
    return std::nullopt;
}

/// `conflict with "m" with subresource "s" using apps/v1 at 2026-11-21T06:09:05Z`, of which all but the manager may be
/// missing.
void read_message(std::string_view rest, apply_conflict& out)
{
    if (!take(rest, "conflict with ")) return;
    out.manager = take_quoted(rest).value_or("");
    if (take(rest, " with subresource ")) out.subresource = take_quoted(rest).value_or("");
    if (!take(rest, " using ")) return;
    const auto at = rest.find(" at ");
    out.api_version = rest.substr(0, at);
    if (at != rest.npos) out.time = rest.substr(at + 4);
}

} // namespace

std::vector<apply_conflict> apply_conflicts(const failure& f)
{
    std::vector<apply_conflict> out;
    const auto* status = f.status();
    if (status == nullptr || f != cond::conflict) return out;
    for (const auto& cause : status->causes) {
        if (cause.reason != "FieldManagerConflict") continue;
        apply_conflict conflict;
        conflict.field = cause.field;
        conflict.message = cause.message;
        read_message(cause.message, conflict);
        out.push_back(std::move(conflict));
    }
    return out;
}

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
                              const write_options& options, std::string_view subresource)
{
    auto body = detail::apply_body(resource, ns, name, std::move(text), subresource);
    if (!body) return body.error();
    const request_builder builder(std::move(resource), std::move(ns));
    return builder.patch(name, patch_kind::apply, std::move(*body), options, subresource);
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
                                              write_options options, kept_text subresource) const
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

asio::awaitable<result<object>> resource_client<object>::apply(kept_text name, json_text body, write_options options,
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
