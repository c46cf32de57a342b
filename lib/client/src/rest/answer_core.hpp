#pragma once
// Checks that a list response is the requested list, makes failures for responses that an API server never sends, and reads
// Warning headers. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Without this check any other document with `items`, or with none, would pass as an empty list, and every object
    would count as deleted.

    The list kind of a custom resource is arbitrary, so for it only the apiVersion is checked; the list kind of a
    built-in group or of *.k8s.io is derived from the object kind.
    @param metadata_only  Accepts PartialObjectMetadataList as well.
    @par Errors           cond::corrupt with the received and the expected kind. */
[[nodiscard]] result<> check_list(const list_page& page, const resource_type& asked, bool metadata_only);

/// A list that a watch starts from must have a version. Errors: cond::corrupt.
[[nodiscard]] result<> check_list_version(const list_page& page);

/// Number of bytes to read of a foreign response.
inline constexpr std::size_t foreign_beginning = 640;

/// The status code of a server that does not take the form of a body.
inline constexpr int unsupported_media_type = 415;

/// Returns the form of a response: JSON also without a media type, since the decoder then decides. None for a format
/// that is not Kubernetes'.
[[nodiscard]] std::optional<wire_form> form_of(std::string_view content_type);

/// Whether a media type is that of a web page, which an API server never sends.
[[nodiscard]] bool is_web_page(std::string_view content_type);

/** The failure for a 2xx response in a format that is not Kubernetes', such as a proxy's login page: cond::corrupt,
    with the media type and the first words.

    @param body  Its beginning, or all of it. */
[[nodiscard]] failure foreign_answer(std::string_view content_type, std::string_view body);

/** As failure_of_answer, with a hint when a TLS server complains about a plain HTTP request.

    @param retry_after  From the response's header; used where the Status has none. */
[[nodiscard]] failure refused_answer(int code, std::string_view body,
                                     std::optional<std::chrono::seconds> retry_after = {});

/// The texts of the warnings with code 299 in one Warning header: `299 - "text" "date", 299 - "other"`. A malformed
/// part ends the reading; what came before it is kept.
[[nodiscard]] std::vector<std::string> parse_warnings(std::string_view header);

/// The warnings that a client has passed on.
class seen_warnings
{
public:
    /// True the first time. After 1,000 different texts all are forgotten.
    [[nodiscard]] bool is_new(const std::string& text);

private:
    std::set<std::string> seen_;
};

} // namespace kubecoro::detail
