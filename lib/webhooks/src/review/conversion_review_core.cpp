#include "review/conversion_review_core.hpp"

#include "review/review_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/catch_failure.hpp> // rule aside: to_failure alone, which is sans-io
#include <kubecoro/base/printable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <exception>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

std::string name_of(const json::object& o)
{
    const auto* metadata = object_in(o, "metadata");
    if (metadata == nullptr) return std::string(text_in(o, "kind"));
    const auto ns = text_in(*metadata, "namespace"), name = text_in(*metadata, "name");
    return printable(std::string(text_in(o, "kind")) + " \"" + to_string(object_key_view(ns, name)) + "\"", 400);
}

/// The first of the members that must not change and has; empty = none.
std::string_view changed_identity(const json::object& from, const json::object& to)
{
    if (text_in(from, "kind") != text_in(to, "kind")) return "kind";
    const auto *before = member_in(from, "metadata"), *after = member_in(to, "metadata");
    for (const std::string_view name : {"name", "namespace", "uid"}) {
        const auto *a = member_in(before, name), *b = member_in(after, name);
        if ((a == nullptr) != (b == nullptr) || (a != nullptr && *a != *b)) return name;
    }
    return {};
}

result<json::object> convert_one(const json::object& from, std::string_view wanted, const object_converter& convert)
{
    try {
        auto out = convert(from, wanted);
        if (!out) return out.error();
        if (text_in(*out, "apiVersion") != wanted)
            return failure(cond::internal,
                           "the conversion made an object of " + printable(text_in(*out, "apiVersion"), 80));
        if (const auto name = changed_identity(from, *out); !name.empty())
            return failure(cond::internal, "the conversion changed the " + std::string(name));
        return out;
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

} // namespace

result<conversion_request> read_conversion_review(std::string_view body)
{
    const auto review = read_review(conversion_review, body);
    if (!review) return review.error();
    const auto request = (*review)["request"];
    conversion_request out{
        std::string(request["uid"].as_string()), std::string(request["desiredAPIVersion"].as_string()), {}};
    if (out.wanted.empty()) return unusable_review("the review's request has no desiredAPIVersion");
    for (const auto o : request["objects"].items()) {
        auto value = o.to_json();
        if (!value.is_object()) return unusable_review("the review's request has an object that is none");
        out.objects.push_back(std::move(value.get_object()));
    }
    return out;
}

converted_review convert_all(const conversion_request& request, const object_converter& convert)
{
    converted_review out;
    json::array converted;
    for (const auto& from : request.objects) {
        auto to = convert_one(from, request.wanted, convert);
        if (!to) {
            out.problem = name_of(from) + " from " + printable(text_in(from, "apiVersion"), 80) + " to " +
                          printable(request.wanted, 80) + ": " + to.error().describe();
            break;
        }
        converted.push_back(*std::move(to));
    }
    json::object response;
    if (out.problem.empty()) {
        response["convertedObjects"] = std::move(converted);
        response["result"] = json::object{{"status", "Success"}};
    } else {
        response["convertedObjects"] = json::array();
        response["result"] = json::object{{"status", "Failure"}, {"message", out.problem}};
    }
    out.body = write_review(conversion_review, request.uid, std::move(response));
    return out;
}

} // namespace kubecoro::detail
