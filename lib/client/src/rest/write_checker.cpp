#include "rest/write_checker.hpp"

#include "check/body_check.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

// Texts in failures come from the server.
constexpr std::size_t shown_problem = 200;
constexpr std::size_t max_noted = 200;

/// The path of the object that a write changes.
std::string target_of_object(std::string_view written, bool is_status)
{
    constexpr std::string_view status = "/status";
    auto path = written.substr(0, written.find('?'));
    if (is_status && path.ends_with(status)) path.remove_suffix(status.size());
    return std::string(path);
}

std::string kind_name(const resource_type& resource) { return resource.display_name() + ' ' + resource.version; }

asio::awaitable<result<object_schema>> read_definition(client c, resource_type resource)
{
    const resource_type definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                    "CustomResourceDefinition", false};
    KUBECORO_TRY(const auto wanted, request_builder(definitions, {}).get(resource.display_name(), get_options()));
    KUBECORO_TRY(const auto text, co_await fetch_text(std::move(c), wanted.target));
    co_return schema_in_definition(text, resource);
}

asio::awaitable<result<object_schema>> read_openapi(client c, resource_type resource)
{
    KUBECORO_TRY(const auto all, co_await list_openapi(c));
    const auto found = std::ranges::find(all, resource.path_prefix().substr(1), &openapi_document::name);
    if (found == all.end())
        co_return failure(cond::not_found, "the server publishes no schemas of " + resource.api_version());
    KUBECORO_TRY(const auto text, co_await get_openapi(std::move(c), *found));
    co_return schema_in_openapi(text, resource);
}

/// Every user may read OpenAPI documents, but definitions are closer to the kind.
asio::awaitable<result<object_schema>> read_schema(client c, resource_type resource)
{
    auto defined = co_await read_definition(c, resource);
    if (defined || defined.error() != cond::forbidden) co_return defined;
    co_return co_await read_openapi(std::move(c), std::move(resource));
}

} // namespace

/// The read of one writer, on which others wait. They do not share its cancellation or destruction: then one of them reads.
class write_checker::running_read
{
public:
    running_read(write_checker& of, std::string kind, latch ended)
        : of_(&of), kind_(std::move(kind)), ended_(std::move(ended))
    {
    }
    running_read(running_read&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), kind_(std::move(other.kind_)), ended_(other.ended_)
    {
    }
    ~running_read()
    {
        if (of_ == nullptr) return;
        {
            std::lock_guard lock(of_->mutex_);
            of_->reading_.erase(kind_);
        }
        ended_.settle({});
    }
    running_read& operator=(running_read&&) = delete;

    [[nodiscard]] const std::string& kind() const noexcept { return kind_; }

private:
    write_checker* of_;
    std::string kind_;
    latch ended_;
};

write_checker::write_checker(const client_options& options)
    : options_(options), checks_(options.checks), cache_(options.checks.max_age)
{
    constexpr std::string_view name = "kubecoro_client_write_checks_total";
    passed_ = options.metrics->make_counter(name, {{"outcome", "passed"}});
    refused_ = options.metrics->make_counter(name, {{"outcome", "refused"}});
    unchecked_ = options.metrics->make_counter(name, {{"outcome", "unchecked"}});
}

known_schema write_checker::at_hand(const resource_type& resource) const
{
    for (const auto& schema : checks_.schemas.all()) {
        const auto& of = schema.resource();
        if (of.group == resource.group && of.version == resource.version &&
            (of.plural.empty() ? of.kind == resource.kind : of.plural == resource.plural))
            return {nullptr, schema};
    }
    return {builtin_schemas::find_resource(resource.api_version(), resource.plural), std::nullopt};
}

void write_checker::note_unchecked(const std::string& kind, const failure& why)
{
    {
        std::lock_guard lock(mutex_);
        if (noted_.size() >= max_noted || !noted_.emplace(kind, true).second) return;
    }
    options_.log.write(log_level::warning, "writes of this kind are not checked before they are sent: it has no schema",
                       {{"kind", kind}, {"why", printable(why.describe(), shown_problem)}});
}

asio::awaitable<result<write_checker::kept>> write_checker::read(client c, resource_type resource, running_read running)
{
    const auto& kind = running.kind();
    auto found = co_await read_schema(std::move(c), std::move(resource));
    if (!found && found.error() == cond::cancelled) co_return found.error();
    kept schema;
    {
        std::lock_guard lock(mutex_);
        const auto now = options_.time->now();
        schema = found ? kept(std::move(*found)) : cache_.keep_after(found.error(), kind, now);
        if (found) cache_.keep(kind, schema, now);
    }
    if (!schema) note_unchecked(kind, found.error());
    co_return schema;
}

asio::awaitable<result<write_checker::kept>> write_checker::schema_of(client c, resource_type resource, bool fresh)
{
    const auto kind = kind_name(resource);
    for (;;) {
        std::optional<latch> begun;
        std::optional<running_read> own;
        {
            std::lock_guard lock(mutex_);
            const auto now = options_.time->now();
            if (const auto* known = cache_.current(kind, now); known && !(fresh && cache_.may_have_changed(kind, now)))
                co_return known->schema;
            if (const auto at = reading_.find(kind); at != reading_.end()) {
                begun = at->second;
            } else {
                const latch ended;
                own.emplace(*this, kind, ended);
                reading_.emplace(kind, ended);
            }
        }
        if (own) co_return co_await read(std::move(c), std::move(resource), std::move(*own));
        if (const auto ended = co_await begun->wait(); !ended) co_return ended.error();
    }
}

bool write_checker::may_have_changed(const std::string& kind)
{
    std::lock_guard lock(mutex_);
    return cache_.may_have_changed(kind, options_.time->now());
}

result<> write_checker::finish(request& r, result<std::string> checked)
{
    (checked ? passed_ : refused_)->add();
    if (!checked)
        return checked.error().with_request(r.method, r.target).because("the body does not match its schema: not sent");
    r.body = std::move(*checked);
    return {};
}

asio::awaitable<result<>> write_checker::check(client c, request& r, checked_body what)
{
    auto schema = at_hand(what.resource);
    if (schema.is_known()) {
        auto checked = check_body(what, schema, r.body, checks_.fill_defaults);
        co_return co_await decide(std::move(c), r, what, std::move(schema), std::move(checked));
    }
    for (const bool fresh : {false, true}) {
        auto found = co_await schema_of(c, what.resource, fresh);
        if (!found) co_return found.error().with_request(r.method, r.target);
        schema.custom = std::move(*found);
        if (!schema.is_known()) {
            unchecked_->add();
            co_return result<>{};
        }
        auto checked = check_body(what, schema, r.body, checks_.fill_defaults);
        if (!checked && !fresh && may_have_changed(kind_name(what.resource))) continue;
        co_return co_await decide(std::move(c), r, what, std::move(schema), std::move(checked));
    }
    co_return result<>{};
}

asio::awaitable<result<>> write_checker::decide(client c, request& r, checked_body what, known_schema schema,
                                                result<std::string> checked)
{
    if (checked || !may_be_forgiven(what, schema, checked.error())) co_return finish(r, std::move(checked));
    const auto present = co_await fetch_text(std::move(c), target_of_object(r.target, what.is_status));
    if (present) co_return finish(r, check_body(what, schema, r.body, checks_.fill_defaults, *present));
    if (present.error() == cond::cancelled) co_return present.error().with_request(r.method, r.target);
    if (present.error() == cond::not_found) co_return finish(r, std::move(checked));
    // The server has the object, and decides.
    unchecked_->add();
    co_return result<>{};
}

} // namespace kubecoro::detail
