// ConversionReview of apiextensions.k8s.io/v1: objects to convert, and the answer. Sans-io.
#pragma once

#include <kubecoro/base/result.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The request of a review.
struct conversion_request
{
    std::string uid;
    /// The apiVersion that all objects are to get.
    std::string wanted;
    std::vector<boost::json::object> objects;
};

/// Errors: cond::invalid, with words for the server's log.
[[nodiscard]] result<conversion_request> read_conversion_review(std::string_view body);

/// Converts one object to the apiVersion.
using object_converter =
    std::function<result<boost::json::object>(const boost::json::object& from, std::string_view wanted)>;

/** Converts all objects, in their order, and writes the answer. One that fails, also by an exception, or that comes out with
    another version, kind, name, namespace or uid fails the review, as the server would otherwise do in words that do not
    name the object. */
struct converted_review
{
    /// The body of the answer.
    std::string body;
    /// Why the review failed; empty if it did not.
    std::string problem;
};
[[nodiscard]] converted_review convert_all(const conversion_request& request, const object_converter& convert);

} // namespace kubecoro::detail
