// Conversions of custom resources by a webhook, as a server sees them: the configuration, the question, the answer. Sans-io.
#pragma once

#include <kubecoro/admission/detail/admission_webhook.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The webhook of a definition.
struct conversion_webhook
{
    webhook_place place = {};
    /// "v1" or "v1beta1", whichever the definition names first. Empty: it names neither.
    std::string review_version = {};
};

/// The webhook that converts the objects of a definition. Nothing: they are not converted by one.
[[nodiscard]] std::optional<conversion_webhook> conversion_webhook_of(const boost::json::value& definition);

/// A question to a webhook.
struct conversion_question
{
    conversion_webhook to = {};
    std::string uid = {};
    /// At least one, each with kind, apiVersion and metadata.
    std::vector<boost::json::object> objects = {};
    /// The apiVersion that is wanted.
    std::string wanted = {};

    /// The body of the request.
    [[nodiscard]] std::string body() const;
    /// A problem in the words of a kube-apiserver: "conversion webhook for example.com/v1, Kind=Site failed: why".
    [[nodiscard]] std::string failed(std::string_view why) const;
};

/** Reads the answer to a question. Labels, annotations and all that is not metadata may have changed in an object; other
    metadata keeps its values.

    Errors: cond::corrupt, with the whole message of a kube-apiserver. */
[[nodiscard]] result<std::vector<boost::json::object>> read_conversions(const conversion_question& asked,
                                                                        std::string_view body);

/// Gives a converted object the metadata of the one that it was made from, but for labels and annotations.
void restore_metadata(const boost::json::object& from, boost::json::object& converted);

} // namespace kubecoro::detail
