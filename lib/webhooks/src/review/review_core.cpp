#include "review/review_core.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/value.hpp>

#include <utility>

namespace kubecoro::detail {

namespace {

/// The longest part of a client's text in a message.
constexpr std::size_t shown_bytes = 60;
/// Levels around an object of a review.
constexpr std::size_t outer_levels = 4;

decode_options decoding_of(const review_type& type)
{
    decode_options out;
    // Encoded, JSON takes up to twice its bytes.
    out.limits.max_object_bytes = 2 * type.max_bytes;
    out.limits.max_depth += outer_levels;
    return out;
}

} // namespace

result<> check_size(const review_type& type, std::string_view body)
{
    if (body.size() <= type.max_bytes) return {};
    return unusable_review("a review has " + std::to_string(type.max_bytes) + " bytes at most");
}

result<object> read_review(const review_type& type, std::string_view body,
                           const std::shared_ptr<object_encoding>& names)
{
    if (auto fits = check_size(type, body); !fits) return fits.error();
    auto review = decode_object(body, decoding_of(type), names);
    if (!review) return unusable_review("the review is no JSON object: " + review.error().message());
    if (review->kind() != type.kind || review->api_version() != type.api_version)
        return unusable_review("expected " + std::string(type.kind) + " of " + std::string(type.api_version) +
                               ", got " + printable(review->kind(), shown_bytes) + " of " +
                               printable(review->api_version(), shown_bytes));
    const auto request = (*review)["request"];
    if (!request.is_object()) return unusable_review("the review has no request");
    if (request["uid"].as_string().empty()) return unusable_review("the review's request has no uid");
    return review;
}

std::string write_review(const review_type& type, std::string_view uid, boost::json::object response)
{
    response["uid"] = uid;
    return written_json(
        boost::json::object{{"apiVersion", type.api_version}, {"kind", type.kind}, {"response", std::move(response)}});
}

} // namespace kubecoro::detail
