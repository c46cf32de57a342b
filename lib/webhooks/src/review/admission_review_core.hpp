// AdmissionReview of admission.k8s.io/v1: the server's question and the webhook's answer. Sans-io.
#pragma once

#include <kubecoro/webhooks/admission.hpp>

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/result.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Reads the body of a review.

    Errors: cond::invalid, with words for the server's log: no JSON, another kind or version, a request without uid,
    resource or operation, an object that is none, or none where the operation has one.

    @param names  The storage that the objects share; null = none. */
[[nodiscard]] result<admission_request> read_admission_review(std::string_view body,
                                                              const std::shared_ptr<object_encoding>& names = nullptr);

/// Writes the answer. @param patch  The text of a JSON patch; empty = none. Ignored when the request is refused.
[[nodiscard]] std::string write_admission_review(std::string_view uid, const verdict& answer,
                                                 std::string_view patch = {});

/// Whether a Content-Type names JSON, with parameters or without.
[[nodiscard]] bool is_json_type(std::string_view content_type) noexcept;

/// The time that the server waits, of the query that it adds to the path: "timeout=10s". Zero if there is none.
[[nodiscard]] duration review_timeout(std::string_view query) noexcept;

} // namespace kubecoro::detail
