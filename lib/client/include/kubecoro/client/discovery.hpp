#pragma once

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

/// One resource as served in one group and version.
struct discovered_resource
{
    /// Its identity.
    resource_type type = {};
    /// The verbs that the server supports for it.
    std::vector<std::string> verbs = {};
    /// The groups of resources it belongs to, such as "all".
    std::vector<std::string> categories = {};
    /// "status", "scale", ...
    std::vector<std::string> subresources = {};
};

/// The resources of a server.
struct discovered_resources
{
    /// A group and version whose resources are not known, because the server behind it does not respond.
    struct unknown_group
    {
        /// The group.
        std::string group = {};
        /// The version.
        std::string version = {};
        /// The reason.
        failure why = {};
    };

    /// In the server's order of preference: the core group first, then groups as the server lists them, with the
    /// preferred version of each group before its others.
    std::vector<discovered_resource> resources = {};
    /// Groups that are missing from `resources`.
    std::vector<unknown_group> missing = {};
};

/** All resources of the server. One group that does not respond does not hide the others.

    Uses aggregated discovery (two requests) and falls back to one request per group and version, eight at once. One that
    takes more than 10 s counts as missing. Groups that are missing for such a reason are logged as warnings. A server
    without the core group has only the others.
    @par Errors  as client; corrupt when a response is not a discovery document. */
[[nodiscard]] boost::asio::awaitable<result<discovered_resources>> discover(client c);

/** The resource for a name given by a user: plural, singular, short name or kind, each alone or with ".group" or
    ".version.group":
    "pods", "po", "deployments.apps", "widgets.v1.example.com", "Deployment".

    Reads the list of resources each time: a program that asks often uses a `discovery`.
    @par Errors  not_found with similar names and the groups that are missing; invalid when a shortened group fits
                 several, with all of them; else as discover. */
[[nodiscard]] boost::asio::awaitable<result<resource_type>> find_resource(client c, kept_text name);

/// The version of a server.
struct server_version
{
    /// "1".
    std::string major = {};
    /// "36", with a suffix on some clouds.
    std::string minor = {};
    /// "v1.36.3".
    std::string git_version = {};
    /// "linux/amd64".
    std::string platform = {};
};

/// The version of the server. Errors: as client; corrupt for anything else.
[[nodiscard]] boost::asio::awaitable<result<server_version>> get_server_version(client c);

/// One document of the server's OpenAPI v3: of a group and version, such as "apis/apps/v1".
struct openapi_document
{
    /// Its name.
    std::string name = {};
    /// The target of its request, with a hash of its content, so that equal targets are equal documents.
    std::string target = {};
    friend bool operator==(const openapi_document&, const openapi_document&) = default;
};

/// The OpenAPI documents of the server. Errors: as client; corrupt for anything else, and for foreign targets.
[[nodiscard]] boost::asio::awaitable<result<std::vector<openapi_document>>> list_openapi(client c);
/// The text of a document, in JSON. It has up to some MB. Errors: as client.
[[nodiscard]] boost::asio::awaitable<result<std::string>> get_openapi(client c, openapi_document which);

/** The resources of a server, read when they are first needed and kept: for programs that find kinds by name while they
    run. A name that is not known causes one fresh read, so that a definition created a moment ago is found, but at most one in
    ten seconds. A list is read again after ten minutes; one with groups missing after ten seconds.

    A handle: copies share the list. Thread safe; callers that need the list at the same time share one read.
    @par Errors        of every operation: as find_resource.
    @par Cancellation  terminal, partial, total; others that share the read continue. */
class discovery
{
public:
    /// Does not read yet.
    explicit discovery(client c);

    /// All resources, and the groups that are missing.
    [[nodiscard]] boost::asio::awaitable<result<std::shared_ptr<const discovered_resources>>> resources() const;
    /// The resource for a name given by a user, see find_resource(). Several that fit: the server's preferred one.
    [[nodiscard]] boost::asio::awaitable<result<resource_type>> resource_for(kept_text name) const;
    /// All resources that fit the name, one of each group, preferred first; never none.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<resource_type>>> candidates_for(kept_text name) const;
    /// The resource of a kind, as objects name it: "apps/v1" and "Deployment".
    [[nodiscard]] boost::asio::awaitable<result<resource_type>> resource_of(kept_text api_version,
                                                                            kept_text kind) const;
    /// The resources of a category such as "all", each in its preferred version; none if there is no such category.
    [[nodiscard]] boost::asio::awaitable<result<std::vector<resource_type>>> in_category(kept_text category) const;
    /// Forgets the list: the next operation reads it.
    void invalidate() const;

    struct state;

private:
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
