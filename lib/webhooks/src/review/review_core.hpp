// The envelope that reviews of all kinds have: apiVersion, kind, and a request or a response with a uid. Sans-io.
#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/// A kind of review.
struct review_type
{
    std::string_view api_version;
    std::string_view kind;
    /// The most that a body may have.
    std::size_t max_bytes;
};

/** Admission: two objects of the 3 MiB that a kube-apiserver accepts, and what is around them. Conversion: the objects of one
    page of a list. */
inline constexpr review_type admission_review{"admission.k8s.io/v1", "AdmissionReview", std::size_t{7} << 20};
inline constexpr review_type conversion_review{"apiextensions.k8s.io/v1", "ConversionReview", std::size_t{64} << 20};

/// A body that cannot be reviewed: cond::invalid.
[[nodiscard]] inline failure unusable_review(std::string why) { return failure(cond::invalid, std::move(why)); }

/// Errors: cond::invalid for a body that is too large.
[[nodiscard]] result<> check_size(const review_type& type, std::string_view body);

/** Reads a body; `request` is then an object in it with a uid.

    Errors: cond::invalid, with words for the server's log: no JSON, too large or deep, another kind or version, no uid.

    @param names  As for decode_object(). */
[[nodiscard]] result<object> read_review(const review_type& type, std::string_view body,
                                         const std::shared_ptr<object_encoding>& names = nullptr);

/// Writes an answer. @param response  Without its uid.
[[nodiscard]] std::string write_review(const review_type& type, std::string_view uid, boost::json::object response);

} // namespace kubecoro::detail
