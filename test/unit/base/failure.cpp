#include <kubecoro/base/result.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/error.hpp>

#include <sstream>

using kubecoro::cond;
using kubecoro::failure;
using kubecoro::result;
using kubecoro::server_status;

namespace {

server_status not_found()
{
    server_status s;
    s.code = 404;
    s.reason = "NotFound";
    s.message = "pods \"a\" not found";
    s.retry_after = std::chrono::seconds{7};
    return s;
}

} // namespace

TEST_CASE("failure: with a condition alone everything else is empty", "[base][failure]")
{
    const failure f(cond::conflict);
    CHECK(f.condition() == cond::conflict);
    CHECK(f == cond::conflict);
    CHECK(f != cond::expired);
    CHECK(f.message().empty());
    CHECK(f.method().empty());
    CHECK(f.target().empty());
    CHECK(f.status() == nullptr);
    CHECK(f.cause() == nullptr);
    CHECK_FALSE(f.retry_after());
    CHECK(f.describe() == "conflict");
    CHECK(f.code() == cond::conflict);
}

TEST_CASE("failure: the server's text and the library's own are kept apart", "[base][failure]")
{
    const auto f = failure(not_found()).with_request("GET", "/api/v1/namespaces/web/pods/a");
    CHECK(f == cond::not_found);
    CHECK(f.message().empty());
    REQUIRE(f.status());
    CHECK(f.status()->message == "pods \"a\" not found");
    CHECK(f.method() == "GET");
    CHECK(f.target() == "/api/v1/namespaces/web/pods/a");
    CHECK(f.retry_after() == std::chrono::seconds{7});
    CHECK(f.describe() == "not_found [GET /api/v1/namespaces/web/pods/a] (server: 404 NotFound: pods \"a\" not found)");
}

TEST_CASE("failure: a cause keeps the condition and stays reachable", "[base][failure]")
{
    const auto inner = failure(not_found()).with_request("GET", "/x");
    const auto outer = inner.because("cannot read the pod").because("cannot greet");
    CHECK(outer == cond::not_found);
    CHECK(outer.message() == "cannot greet");
    REQUIRE(outer.cause());
    CHECK(outer.cause()->message() == "cannot read the pod");
    REQUIRE(outer.cause()->cause());
    CHECK(outer.cause()->cause()->status());
    CHECK(outer.status() == inner.status());
    CHECK(outer.method() == "GET");
    CHECK(outer.retry_after() == std::chrono::seconds{7});
    CHECK(outer.describe() ==
          "not_found: cannot greet: cannot read the pod [GET /x] (server: 404 NotFound: pods \"a\" not found)");
}

TEST_CASE("failure: the description is one line whatever text it contains", "[base][failure]")
{
    server_status s;
    s.code = 500;
    s.message = "a\nb\r\n\tc\x01\x7f";
    const auto f = failure(s)
                       .with_request("GET", "/x\n")
                       .because("our\nwords\xc2\x9b"
                                "31m");
    CHECK(f.describe().find("our words 31m") != std::string::npos);
    for (char c : f.describe()) CHECK(static_cast<unsigned char>(c) >= 0x20);
    std::ostringstream out;
    out << f;
    CHECK(out.str() == f.describe());
}

TEST_CASE("failure: copies share their content and outlive the original", "[base][failure]")
{
    failure copy(cond::internal);
    {
        const failure original(cond::invalid, "the field replicas is negative");
        copy = original;
        CHECK(&copy.message() == &original.message());
    }
    CHECK(copy == cond::invalid);
    CHECK(copy.message() == "the field replicas is negative");
    failure moved = std::move(copy);
    CHECK(moved.message() == "the field replicas is negative");
}

TEST_CASE("failure: with_request does not touch the original", "[base][failure]")
{
    const failure f(cond::timed_out, "no answer within 5 s");
    const auto g = f.with_request("LIST", "/y");
    CHECK(f.method().empty());
    CHECK(g.message() == f.message());
}

TEST_CASE("failure: an error code determines condition and message", "[base][failure]")
{
    const failure f(boost::asio::error::make_error_code(boost::asio::error::connection_refused),
                    "connect to 127.0.0.1:1");
    CHECK(f == cond::unreachable);
    CHECK(f.message() == "connect to 127.0.0.1:1: Connection refused");
}

TEST_CASE("result: value() throws kubecoro::error with the failure inside", "[base][failure]")
{
    result<int> good = 3;
    CHECK(good.value() == 3);
    result<int> bad = failure(cond::expired, "list again");
    REQUIRE_FALSE(bad);
    try {
        (void)bad.value();
        FAIL("value() returned");
    } catch (const kubecoro::error& e) {
        CHECK(e.why() == cond::expired);
        CHECK(std::string(e.what()) == "expired: list again");
    }
    CHECK(result<>{}.has_value());
}
