#include <kubecoro/test/catch.hpp>

#include "fixtures.hpp"

#include <kubecoro/api/status.hpp>

#include <string>

using namespace kubecoro;
using namespace std::string_literals;

TEST_CASE("status: responses of a real server map to conditions", "[api][status]")
{
    const failure missing = failure_of_answer(404, fixture("status_not_found.json"));
    CHECK(missing == cond::not_found);
    REQUIRE(missing.status() != nullptr);
    CHECK(missing.status()->name == "nope");
    CHECK(missing.status()->kind == "configmaps");
    CHECK(missing.status()->message == "configmaps \"nope\" not found");

    const failure expired = failure_of_answer(410, fixture("status_continue_expired.json"));
    CHECK(expired == cond::expired);
    CHECK_FALSE(expired.status()->continue_token.empty());

    const failure ahead = failure_of_answer(504, fixture("status_version_too_large.json"));
    CHECK(ahead == cond::too_large_resource_version);
    CHECK(ahead.retry_after() == std::chrono::seconds(1));

    const failure later = failure_of_answer(429, fixture("status_retry_later.json"));
    CHECK(later == cond::retry_later);
    CHECK(later.retry_after() == std::chrono::seconds(1));

    const failure invalid = failure_of_answer(422, fixture("status_invalid_many.json"));
    CHECK(invalid == cond::invalid);
    CHECK(invalid.status()->group == "cap.example.com");
    REQUIRE(invalid.status()->causes.size() == 4);
    CHECK(invalid.status()->causes[0].field == "spec.color");
    CHECK(invalid.status()->causes[1].reason == "FieldValueTooLong");
}

TEST_CASE("status: a response that is not a Status is shown truncated and without control characters", "[api][status]")
{
    const failure text = failure_of_answer(404, fixture("text_not_found.txt"));
    CHECK(text == cond::not_found);
    CHECK(text.status()->message == "404 page not found");
    CHECK(text.status()->code == 404);

    const failure coloured = failure_of_answer(502, "a\x1b[31mb\r\nc\x7f"
                                                    "d\t");
    CHECK(coloured.status()->message == "a [31mb  c d");
    CHECK(failure_of_answer(500, "").status()->message.empty());
    CHECK(failure_of_answer(401, std::string(5000, 'x')).status()->message.size() == 2048);
    CHECK(failure_of_answer(401, std::string(5000, 'x')) == cond::unauthorized);
    // Truncated between characters, not inside one.
    const failure cut = failure_of_answer(500, std::string(2047, 'x') + "\xc3\xa4" + "yyy");
    CHECK(cut.status()->message == std::string(2047, 'x'));
    CHECK(failure_of_answer(503, R"({"kind":"Pod"})").status()->message == R"({"kind":"Pod"})");
}

TEST_CASE("status: texts of a Status have limits, and end with a whole character", "[api][status]")
{
    const std::string most(16 * 1024 - 1, 'x');
    const std::string cut = most + "\xc3\xa4";
    std::string causes;
    for (int n = 0; n < 100; ++n)
        causes += (n == 0 ? "" : ",") + R"({"reason":"Long","field":")"s + std::string(2'000, 'f') +
                  R"(","message":")" + std::string(5'000, 'm') + R"("})";
    const failure long_one =
        failure_of_answer(403, R"({"kind":"Status","message":")" + cut + std::string(1'000'000, 'y') +
                                   R"(","reason":"Forbidden","details":)" + R"({"name":")" + std::string(100'000, 'n') +
                                   R"(","causes":[)" + causes + "]}}");
    CHECK(long_one == cond::forbidden);
    REQUIRE(long_one.status() != nullptr);
    CHECK(long_one.status()->message == most + " ... (1000002 more bytes)");
    CHECK(long_one.status()->name.size() == 1024);
    CHECK(long_one.status()->causes.size() == 43); // 256 KiB of them
    CHECK(long_one.status()->causes.front().field.size() == 1024);
    CHECK(long_one.describe().size() < 20'000);
    const failure whole = failure_of_answer(422, R"({"kind":"Status","message":")" + most + R"(z"})");
    CHECK(whole.status()->message == most + "z");
}

TEST_CASE("status: fields of wrong types count as absent", "[api][status]")
{
    const auto o = object::parse(R"({"kind":"Status","code":"404","reason":7,"message":null,"metadata":[],"details":)"
                                 R"({"name":{},"causes":[1,{"reason":2,"field":"f"}],"retryAfterSeconds":-3}})");
    REQUIRE(o);
    const server_status s = read_status(o->root());
    CHECK(s.code == 0);
    CHECK(s.reason.empty());
    CHECK(s.message.empty());
    CHECK(s.name.empty());
    CHECK_FALSE(s.retry_after);
    CHECK(s.continue_token.empty());
    REQUIRE(s.causes.size() == 2);
    CHECK(s.causes[1].field == "f");
    CHECK(read_status(value_view{}).code == 0);
    CHECK(read_status(object::parse(R"({"code":99999999999})")->root()).code == 0);
    // The code of the response replaces a missing one.
    CHECK(failure_of_answer(409, R"({"kind":"Status","reason":"Conflict"})").status()->code == 409);
}
