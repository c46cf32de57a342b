// Objects of custom resources in other versions than their own, which the webhook of their definition makes.
#pragma once

#include "objects/registry.hpp"
#include "objects/stored_object.hpp"

#include <kubecoro/admission/detail/conversion_ledger.hpp>
#include <kubecoro/apiserver/detail/object_requests.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>

#include <boost/json/value.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// The same address in the version in which the object is stored, if a webhook converts its kind.
[[nodiscard]] object_address in_own_version(object_address at, const stored_object& object);

/** Converts on behalf of one request. Without a ledger, and for resources without a webhook, objects have the same fields in
    every version, or lose those that the schema of a version does not have.

    Its functions fail with the code 0 while the webhook has to be asked: the request must end without an effect, and begins
    again. Other failures are 500 in the words of a kube-apiserver. */
class version_converter
{
public:
    /// @param by  Null: no webhook is asked. Otherwise it outlives the converter.
    explicit version_converter(kubecoro::detail::conversion_ledger* by) : by_(by) {}

    /// Whether a webhook has to convert the object for a reader of a version.
    [[nodiscard]] bool converts(const resource_info& info, const stored_object& object, std::string_view version) const;
    /// The object as it is read in a version, with kind and apiVersion.
    [[nodiscard]] answer<boost::json::value> read(const resource_info& info, const stored_object& object,
                                                  std::string_view version) const;
    /// The same for an object with kind and apiVersion, in any version.
    [[nodiscard]] answer<boost::json::value> in_version(const resource_info& info, const boost::json::value& object,
                                                        std::string_view version) const;
    /// Objects ready to be sent in a version: those that no webhook converts stay as they are.
    [[nodiscard]] answer<std::vector<stored>> shown(const resource_info& info, std::span<const stored> objects,
                                                    std::string_view version) const;
    /// The same for one.
    [[nodiscard]] answer<stored> shown(const resource_info& info, const stored& object, std::string_view version) const;
    /** Brings an object that a client has written in a version into the form in which it is stored. Asks also how the client
        will read it, so that the answer is known before there is an effect.

        @param body  Without kind, apiVersion and managed fields. @param version  That of the client. */
    [[nodiscard]] answer<void> settle_written(const resource_info& info, std::string_view version,
                                              boost::json::value& body) const;

private:
    using bodies = std::vector<boost::json::object>;
    [[nodiscard]] answer<bodies> convert(const resource_info& info, const bodies& from, std::string_view version) const;

    kubecoro::detail::conversion_ledger* by_;
};

} // namespace kubecoro::apiserver
