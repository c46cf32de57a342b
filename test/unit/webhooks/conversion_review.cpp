// ConversionReview: lists in order, and failures that name the object.
#include "review/conversion_review_core.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

using namespace kubecoro;
namespace json = boost::json;

namespace {

json::object site(std::string_view name)
{
    return {{"apiVersion", "example.com/v1"}, {"kind", "Site"}, {"metadata", {{"name", name}, {"namespace", "shop"}}}};
}

std::string body(const json::array& objects)
{
    return json::serialize(
        json::object{{"apiVersion", "apiextensions.k8s.io/v1"},
                     {"kind", "ConversionReview"},
                     {"request", {{"uid", "9"}, {"desiredAPIVersion", "example.com/v2"}, {"objects", objects}}}});
}

detail::conversion_request request(const json::array& objects)
{
    return detail::read_conversion_review(body(objects)).value();
}

json::object response(const detail::converted_review& review)
{
    const auto all = json::parse(review.body).as_object();
    CHECK(all.at("apiVersion") == "apiextensions.k8s.io/v1");
    CHECK(all.at("kind") == "ConversionReview");
    return all.at("response").as_object();
}

result<json::object> renamed(const json::object& from, std::string_view wanted)
{
    json::object out = from;
    out["apiVersion"] = wanted;
    return out;
}

std::string failure_of(const detail::object_converter& convert)
{
    const auto review = detail::convert_all(request({site("a"), site("b")}), convert);
    const auto r = response(review);
    CHECK(r.at("uid") == "9");
    CHECK(r.at("convertedObjects").as_array().empty());
    CHECK(r.at("result").at("status") == "Failure");
    CHECK(std::string_view(r.at("result").at("message").as_string()) == review.problem);
    return review.problem;
}

} // namespace

TEST_CASE("conversion review: objects keep their order", "[webhooks]")
{
    const auto review = detail::convert_all(request({site("b"), site("a"), site("c")}), renamed);
    CHECK(review.problem.empty());
    const auto r = response(review);
    CHECK(r.at("uid") == "9");
    CHECK(r.at("result") == json::object{{"status", "Success"}});
    const auto& objects = r.at("convertedObjects").as_array();
    REQUIRE(objects.size() == 3);
    CHECK(objects[0].at("metadata").at("name") == "b");
    CHECK(objects[1].at("metadata").at("name") == "a");
    CHECK(objects[2].at("metadata").at("name") == "c");
    CHECK(objects[2].at("apiVersion") == "example.com/v2");
    CHECK(response(detail::convert_all(request({}), renamed)).at("result").at("status") == "Success");
}

TEST_CASE("conversion review: one object that fails fails all, and is named", "[webhooks]")
{
    CHECK(failure_of([](const json::object& from, std::string_view wanted) -> result<json::object> {
              if (from.at("metadata").at("name") == "b") return failure(cond::invalid, "two hosts");
              return renamed(from, wanted);
          }) == "Site \"shop/b\" from example.com/v1 to example.com/v2: invalid: two hosts");
    CHECK(failure_of([](const json::object&, std::string_view) -> result<json::object> {
              throw std::runtime_error("no such table");
          }).find("no such table") != std::string::npos);
}

TEST_CASE("conversion review: an object that has become another one fails", "[webhooks]")
{
    const auto with = [](const auto& edit) {
        return failure_of([&](const json::object& from, std::string_view wanted) -> result<json::object> {
            auto out = *renamed(from, wanted);
            edit(out);
            return out;
        });
    };
    CHECK(with([](json::object& o) {
              o["apiVersion"] = "example.com/v3";
          }).ends_with("made an object of example.com/v3"));
    CHECK(with([](json::object& o) { o["kind"] = "Page"; }).ends_with("changed the kind"));
    CHECK(with([](json::object& o) { o["metadata"].as_object()["name"] = "x"; }).ends_with("changed the name"));
    CHECK(with([](json::object& o) { o["metadata"].as_object()["uid"] = "x"; }).ends_with("changed the uid"));
    CHECK(with([](json::object& o) { o.erase("metadata"); }).ends_with("changed the name"));
}

TEST_CASE("conversion review: what is no review is refused in words", "[webhooks]")
{
    const auto problem = [](std::string_view text) {
        const auto read = detail::read_conversion_review(text);
        return read ? std::string("none") : read.error().message();
    };
    CHECK(problem("{").starts_with("the review is no JSON object: "));
    CHECK(problem(R"({"apiVersion":"v1","kind":"Pod"})") ==
          "expected ConversionReview of apiextensions.k8s.io/v1, got Pod of v1");
    CHECK(problem(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1"}})") ==
          "the review's request has no desiredAPIVersion");
    CHECK(problem(body({site("a"), 5})) == "the review's request has an object that is none");
}
