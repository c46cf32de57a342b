// The failures shown by `kubecoro watch`, and how often they are shown.
#include "watch_printer.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <string>
#include <vector>

#include <unistd.h>

using namespace kubecoro;
using kubecoro::tool::is_permanent;
using kubecoro::tool::output;
using kubecoro::tool::watch_printer;
using kubecoro::tool::worth_showing;

namespace {

/// The lines written to standard output while `act` runs; they must fit into a pipe.
template<class F>
std::vector<std::string> printed(F act)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const int before = ::dup(STDOUT_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[1]);
    act();
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    std::vector<std::string> lines(1);
    char c = 0;
    while (::read(ends[0], &c, 1) == 1) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    ::close(ends[0]);
    lines.pop_back();
    return lines;
}

using documents = std::vector<std::string>;

} // namespace

TEST_CASE("watch: transient failures are not shown, those that make the copy stale are", "[tool][watch]")
{
    for (const auto c : {cond::forbidden, cond::unauthorized, cond::not_found, cond::invalid, cond::misconfigured,
                         cond::corrupt, cond::internal})
        CHECK(worth_showing(failure(c)));
    for (const auto c : {cond::unreachable, cond::timed_out, cond::retry_later, cond::expired, cond::cancelled})
        CHECK_FALSE(worth_showing(failure(c)));
}

TEST_CASE("watch: a repeated failure is shown once, until something arrives", "[tool][watch]")
{
    output out;
    watch_printer printer(out, {.json = true});
    const auto broken = failure(cond::corrupt, "not JSON at byte 7").with_request("GET", "/api/v1/pods?limit=500");
    const auto told = printed([&] {
        for (int i = 0; i < 3; ++i) printer.failed(broken);
        printer.failed(testing::server_failure(500, "InternalError", "boom"));
        printer.failed(testing::server_failure(500, "InternalError", "boom"));
        printer.synced();
        printer.failed(broken);
    });
    const std::string document = R"({"type":"error","reason":"corrupt","message":"not JSON at byte 7","code":0,)"
                                 R"("request":"GET /api/v1/pods?limit=500"})";
    CHECK(told == documents{document, R"({"type":"error","reason":"InternalError","message":"boom","code":500})",
                            R"({"type":"synced","objects":0})", document});
}

TEST_CASE("watch: a failure found by the client has the form of a server's", "[tool][watch]")
{
    output out;
    watch_printer printer(out, {.json = true});
    const auto told = printed([&] {
        printer.failed(failure(cond::not_found, "the server has no resource \"gizmos\""));
        printer.failed(failure(cond::invalid, "-n takes a name"));
    });
    CHECK(told ==
          documents{
              R"({"type":"error","reason":"NotFound","message":"the server has no resource \"gizmos\"","code":404})",
              R"({"type":"error","reason":"BadRequest","message":"-n takes a name","code":400})"});
}

TEST_CASE("watch: the text of objects can neither move the cursor nor forge a line", "[tool][watch]")
{
    output out;
    watch_printer printer(out);
    const auto named = [](const std::string& name, const std::string& text) {
        return *object::parse(R"({"metadata":{"name":")" + name + R"(","resourceVersion":"7\u001b[2J"},"data":{"t":")" +
                              text + R"("}})");
    };
    const auto told = printed([&] {
        printer.show(added<object>{named("x\\u001b[31m\\nadded y", ""), false});
        printer.show(updated<object>{named("a", "\\u009b31m"), named("a", "\\r\\n-- synced: 9 objects")});
        printer.failed(testing::server_failure(500, "InternalError", "a\x1b[2J\nb"));
    });
    REQUIRE(told.size() == 3);
    CHECK(told[0].starts_with("added    x [31m added y "));
    CHECK(told[1].find("data.t:  31m ->   -- synced: 9 objects") != std::string::npos);
    CHECK(told[2].find("a [2J b") != std::string::npos);
    for (const auto& line : told)
        for (const char* escape : {"\x1b", "\xc2\x9b", "\r"}) CHECK(line.find(escape) == std::string::npos);
}

TEST_CASE("watch: a refusal that retries cannot mend is permanent, all else is not", "[tool][watch]")
{
    for (const int code : {400, 403, 404, 422}) CHECK(is_permanent(testing::server_failure(code, "", "")));
    for (const int code : {401, 410, 429, 500, 503, 504})
        CHECK_FALSE(is_permanent(testing::server_failure(code, "", "")));
    CHECK_FALSE(is_permanent(failure(cond::unreachable)));
}

TEST_CASE("watch: rows and documents carry the time and the type if asked", "[tool][watch]")
{
    output out;
    const auto o = *object::parse(R"({"kind":"Pod","metadata":{"name":"a","namespace":"web","resourceVersion":"7"}})");
    const auto time = std::make_shared<testing::virtual_clock>();
    const auto told = printed([&] {
        watch_printer rows(out, {.timestamps = true, .colours = true}, time);
        rows.show(added<object>{o, true}, "pod");
        watch_printer documents(out, {.json = true, .timestamps = true}, time);
        documents.show(deleted<object>{o});
    });
    REQUIRE(told.size() == 2);
    CHECK(told[0].substr(4, 1) == "-");
    CHECK(told[0].find("Z \x1b[32madded    pod/web/a ") == 23);
    CHECK(told[0].ends_with("initial\x1b[0m"));
    CHECK(told[1].starts_with(R"({"time":")"));
    CHECK(told[1].find(R"(Z","type":"deleted","finalStateUnknown":false,"object":{)") != std::string::npos);
}

TEST_CASE("watch: documents are safe for a terminal", "[tool][watch]")
{
    output out;
    watch_printer printer(out, {.json = true});
    const auto o = *object::parse("{\"metadata\":{\"name\":\"a\"},\"data\":{\"t\":\"\xc2\x9b"
                                  "2J\"}}");
    const auto told = printed([&] { printer.show(added<object>{o, false}); });
    REQUIRE(told.size() == 1);
    CHECK(told[0].find("\"t\":\"\\u009b2J\"") != std::string::npos);
}
