#include <kubecoro/client/discovery.hpp>

#include "discovery/discovery_core.hpp"
#include "rest/answer_core.hpp"
#include "rest/client_state.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

// The header sent by kubectl: servers before 1.30 know only v2beta1, and those before 1.26 neither.
constexpr const char* aggregated_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

// A server of an extension may accept requests and never respond.
constexpr auto group_limit = std::chrono::seconds{10};
constexpr std::size_t reads_at_once = 8;

void append(discovered_resources& all, discovered_resources more)
{
    const auto move_all = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    move_all(all.resources, more.resources);
    move_all(all.missing, more.missing);
}

asio::awaitable<result<object>> document(const client& c, std::string path, const char* accept)
{
    request r;
    r.method = "GET";
    r.target = path;
    r.accept = accept;
    KUBECORO_TRY(auto got, co_await c.raw(std::move(r)));
    if (got.head.status >= 300 && got.head.status < 400)
        co_return failure(cond::invalid, "the server responds with " + std::to_string(got.head.status) +
                                             "; redirects are not followed")
            .with_request("GET", path);
    if (got.head.status < 200 || got.head.status >= 300)
        co_return detail::refused_answer(got.head.status, got.body).with_request("GET", path);
    if (const auto type = got.head.header("content-type"); detail::form_of(type) != wire_form::json)
        co_return detail::foreign_answer(type, got.body).with_request("GET", path);
    decode_options options;
    options.limits.max_object_bytes = std::max(options.limits.max_object_bytes, got.body.size());
    auto parsed = decode_object(got.body, options);
    if (!parsed) co_return parsed.error().with_request("GET", path);
    co_return parsed;
}

/// The reads of the groups of one root.
struct group_reads
{
    client c;
    std::string root;
    std::vector<group_version> versions;
    std::vector<result<std::vector<discovered_resource>>> outcomes;
    std::size_t next = 0;
};

asio::awaitable<result<>> read_groups(std::shared_ptr<group_reads> all)
{
    while (all->next < all->versions.size()) {
        const auto at = all->next++;
        const auto& gv = all->versions[at];
        const auto path = all->root + "/" + (gv.group.empty() ? "" : gv.group + "/") + gv.version;
        const auto listed = co_await with_timeout(all->c.time(), group_limit, "read " + path,
                                                  document(all->c, path, "application/json"));
        if (listed)
            all->outcomes[at] = detail::read_resource_list(*listed, gv);
        else
            all->outcomes[at] = listed.error();
        if (!listed && listed.error() == cond::cancelled) co_return listed.error();
    }
    co_return result<>{};
}

/// The workers of one call. They end after it if it is cancelled.
struct readers
{
    std::shared_ptr<task_group> group;
    ~readers()
    {
        group->stop();
        group->keep_until_ended(group);
    }
};

/// Discovery for servers without the aggregated format: one document per group and version.
asio::awaitable<result<>> each_group_version(const client& c, const object& groups, const std::string& root,
                                             discovered_resources& all)
{
    auto versions = detail::read_group_versions(groups);
    if (!versions) co_return versions.error().with_request("GET", root);
    const auto reads = std::make_shared<group_reads>(group_reads{c, root, std::move(*versions), {}});
    reads->outcomes.resize(reads->versions.size(), failure(cond::cancelled));
    const readers crew{std::make_shared<task_group>(co_await asio::this_coro::executor)};
    for (std::size_t n = 0; n < std::min(reads_at_once, reads->versions.size()); ++n)
        crew.group->spawn("a reader of discovery", read_groups(reads));
    KUBECORO_TRY(co_await crew.group->join());
    KUBECORO_TRY(crew.group->first_failure());
    for (std::size_t i = 0; i < reads->versions.size(); ++i) {
        auto& gv = reads->versions[i];
        auto& read = reads->outcomes[i];
        if (read) {
            append(all, {std::move(*read), {}});
            continue;
        }
        // An extension's server may be down while the rest works.
        detail::client_access::state_of(c)->options.log.warning(
            "the resources of a group are not known",
            {{"group", gv.group}, {"version", gv.version}, {"why", read.error().describe()}});
        all.missing.push_back({std::move(gv.group), std::move(gv.version), read.error()});
    }
    co_return result<>{};
}

asio::awaitable<result<>> one_root(const client& c, std::string root, discovered_resources& all)
{
    auto found = co_await document(c, root, aggregated_accept);
    // A server that does not know the format may reject the whole Accept list (406).
    if (!found && found.error().condition() == cond::invalid) found = co_await document(c, root, "application/json");
    if (!found) co_return found.error();
    if (!detail::is_aggregated(*found)) co_return co_await each_group_version(c, *found, root, all);
    auto read = detail::read_aggregated(*found);
    if (!read) co_return read.error().with_request("GET", root);
    append(all, std::move(*read));
    co_return result<>{};
}

asio::awaitable<result<discovered_resources>> both_roots(client c)
{
    discovered_resources all;
    auto core = co_await one_root(c, "/api", all);
    // Servers of extensions have no core group.
    if (!core && core.error().condition() != cond::not_found) co_return core.error();
    KUBECORO_TRY(co_await one_root(c, "/apis", all));
    // The only group of a root may be down while the other root works; without any, there is nothing to work with.
    if (all.resources.empty() && !all.missing.empty()) co_return all.missing.front().why;
    co_return all;
}

asio::awaitable<result<resource_type>> named_resource(client c, std::string name)
{
    KUBECORO_TRY(auto all, co_await both_roots(std::move(c)));
    co_return detail::pick_resource(all, name);
}

asio::awaitable<result<server_version>> version_of(client c)
{
    KUBECORO_TRY(auto body, co_await detail::fetch_text(std::move(c), "/version"));
    auto read = detail::read_version(body);
    if (!read) co_return read.error().with_request("GET", "/version");
    co_return read;
}

asio::awaitable<result<std::vector<openapi_document>>> openapi_of(client c)
{
    KUBECORO_TRY(auto body, co_await detail::fetch_text(std::move(c), "/openapi/v3"));
    auto read = detail::read_openapi_index(body);
    if (!read) co_return read.error().with_request("GET", "/openapi/v3");
    co_return read;
}

} // namespace

asio::awaitable<result<discovered_resources>> discover(client c) { return catch_failure(both_roots(std::move(c))); }

asio::awaitable<result<resource_type>> find_resource(client c, kept_text name)
{
    return catch_failure(named_resource(std::move(c), std::move(name)));
}

asio::awaitable<result<server_version>> get_server_version(client c) { return catch_failure(version_of(std::move(c))); }

asio::awaitable<result<std::vector<openapi_document>>> list_openapi(client c)
{
    return catch_failure(openapi_of(std::move(c)));
}

asio::awaitable<result<std::string>> get_openapi(client c, openapi_document which)
{
    return catch_failure(detail::fetch_text(std::move(c), std::move(which.target)));
}

} // namespace kubecoro
