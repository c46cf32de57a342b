// Admission webhooks as a server sees them: their configurations, the requests that they are for, their reviews. Sans-io.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The address of a webhook.
struct webhook_place
{
    /// "https://host:port/path"; empty for a service.
    std::string url = {};
    std::string service = {};
    std::string ns = {};
    std::string path = {};
    std::int64_t port = 443;
    /// PEM text; empty = the system's authorities.
    std::string bundle = {};

    /// The URL that a kube-apiserver names in messages, with the path.
    [[nodiscard]] std::string shown() const;
};

/// The address that a member `clientConfig` gives.
[[nodiscard]] webhook_place webhook_place_of(const boost::json::object& client);

/// A webhook of a configuration.
struct admission_webhook
{
    std::string name = {};
    bool mutates = false;
    webhook_place place = {};
    /// As they are in the configuration: rules, selectors.
    boost::json::object text = {};
    bool ignores_failures = false;
    /// Asked again after later changes.
    bool reinvoked = false;
    /// May be asked about a dry run.
    bool without_effects = false;
    /// Asked also about writes in other versions of the resources that its rules name, in the version that they name.
    bool equivalent = true;
    /// "v1" or "v1beta1", whichever the configuration names first. Empty: it names neither.
    std::string review_version = {};
    std::chrono::seconds timeout{10};
};

/// The webhooks of a configuration, in its order.
[[nodiscard]] std::vector<admission_webhook> webhooks_of(const boost::json::value& configuration, bool mutating);

/// A write that webhooks are asked about.
struct admission_attributes
{
    /// "CREATE", "UPDATE", "DELETE".
    std::string_view operation = {};
    std::string group = {};
    std::string version = {};
    std::string plural = {};
    std::string kind = {};
    /// Group and version of the kind; empty: those of the resource.
    std::string kind_api_version = {};
    std::string subresource = {};
    /// Other versions in which the resource is served, as a kube-apiserver orders them.
    std::vector<std::string> other_versions = {};
    bool namespaced = true;
    std::string ns = {};
    std::string name = {};
    bool dry_run = false;
    /// The members userInfo and options of a review.
    boost::json::object user = {};
    boost::json::object options = {};
    /// The labels of the namespace, or of the object if it is one; nothing for other objects without a namespace.
    std::optional<boost::json::object> namespace_labels = {};
};

/// The version in which a webhook is to be asked, as far as its rules and selectors say. Nothing: it is not asked.
/// @param now, before  Null where there is none.
[[nodiscard]] std::optional<std::string> version_for(const admission_webhook& w, const admission_attributes& about,
                                                     const boost::json::value* now, const boost::json::value* before);

/// The member `request` of a review. @param version  The version of the objects.
[[nodiscard]] boost::json::object review_request(std::string_view uid, const admission_attributes& about,
                                                 std::string_view version, const boost::json::value* now,
                                                 const boost::json::value* before);
/// The body of a review.
[[nodiscard]] std::string review_of(const admission_webhook& w, boost::json::object request);

/// The answer of a webhook.
struct admission_answer
{
    bool allowed = false;
    /// Why not, without the server's words.
    server_status status = {};
    boost::json::array patch = {};
    std::vector<std::string> warnings = {};
};
/// Reads the body of an answer. Errors: cond::corrupt, in the words of a kube-apiserver.
[[nodiscard]] result<admission_answer> read_answer(const admission_webhook& w, std::string_view body,
                                                   std::string_view uid);

/// The refusal of a request that a webhook has denied.
[[nodiscard]] server_status denied_by(const admission_webhook& w, server_status status);
/// The refusal of a request that fails whatever the webhook's policy says.
[[nodiscard]] server_status internal_error(std::string_view why);
/// The refusal of a request for which the conditions of a webhook could not be evaluated.
[[nodiscard]] server_status forbidden_by(const admission_attributes& about, std::string_view why);
/// The refusal of a request about which a webhook could not be asked.
[[nodiscard]] server_status failed_call(const admission_webhook& w, std::string_view why);

} // namespace kubecoro::detail
