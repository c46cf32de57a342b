// Headers of an impersonated identity.
#include "http/request_text.hpp"
#include "rest_fixture.hpp"

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;

namespace {

using headers = std::vector<std::pair<std::string, std::string>>;

std::string key_header(const std::string& key)
{
    const auto made = impersonation_headers({.name = "u", .extra = {{key, {"v"}}}});
    REQUIRE(made.size() == 2);
    return made[1].first;
}

} // namespace

TEST_CASE("impersonation: user, uid, groups and extra data become headers", "[client][impersonation]")
{
    CHECK(impersonation_headers({}).empty());
    CHECK(impersonation_headers({.name = "u"}) == headers{{"Impersonate-User", "u"}});
    CHECK(impersonation_headers({.name = "u", .uid = "7"}) ==
          headers{{"Impersonate-User", "u"}, {"Impersonate-Uid", "7"}});
    const user_info whole{.name = "system:serviceaccount:ns:name",
                          .groups = {"one", "two"},
                          .uid = "uid-a",
                          .extra = {{"first", {"A", "a"}}, {"second", {"B"}}}};
    CHECK(impersonation_headers(whole) == headers{{"Impersonate-User", "system:serviceaccount:ns:name"},
                                                  {"Impersonate-Uid", "uid-a"},
                                                  {"Impersonate-Group", "one"},
                                                  {"Impersonate-Group", "two"},
                                                  {"Impersonate-Extra-first", "A"},
                                                  {"Impersonate-Extra-first", "a"},
                                                  {"Impersonate-Extra-second", "B"}});
}

TEST_CASE("impersonation: keys of extra data are percent-encoded as client-go does", "[client][impersonation]")
{
    CHECK(key_header("test.example.com/thing.thing") == "Impersonate-Extra-test.example.com%2Fthing.thing");
    CHECK(key_header("a%20b") == "Impersonate-Extra-a%2520b");
    CHECK(key_header("a b:c") == "Impersonate-Extra-a%20b%3Ac");
    CHECK(key_header("\xc3\xa4\n") == "Impersonate-Extra-%C3%A4%0A");
    // Bytes that a header name may have stay, but for the percent sign.
    const std::string plain = "!#$&'*+-.^_`|~09azAZ";
    CHECK(key_header(plain) == "Impersonate-Extra-" + plain);
    // Whatever the key, its header can be sent, and the server gets the key back.
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    const auto name = key_header(all);
    request r{.method = "GET", .target = "/"};
    r.headers.emplace_back(name, "v");
    CHECK(request_text(r, "h", ""));
    std::string back;
    for (std::size_t i = std::string("Impersonate-Extra-").size(); i < name.size(); ++i) {
        if (name[i] != '%') {
            back += name[i];
            continue;
        }
        back += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
        i += 2;
    }
    CHECK(back == all);
}

TEST_CASE("impersonation: a value cannot forge a header, and is not shown", "[client][impersonation]")
{
    for (const user_info& as :
         {user_info{.name = "u\r\nX-Remote-User: admin"}, user_info{.name = "u", .groups = {"g\nx"}},
          user_info{.name = "u", .extra = {{"k", {std::string("v\0", 2)}}}}}) {
        request r{.method = "GET", .target = "/"};
        for (const auto& h : impersonation_headers(as)) r.headers.push_back(h);
        const auto text = request_text(r, "h", "");
        REQUIRE_FALSE(text);
        CHECK(text.error() == cond::invalid);
        CHECK(text.error().message().find("admin") == std::string::npos);
    }
}

TEST_CASE("impersonation: a request with an identity or a login of its own keeps it", "[client][impersonation]")
{
    world the;
    the.net->replies = {{.body = {"{}"}}, {.body = {"{}"}}};
    auto c = the.make({.token = "t", .as = {.name = "jane", .groups = {"devs"}}});
    request own{.method = "GET", .target = "/version"};
    own.headers = {{"impersonate-user", "joe"}, {"AUTHORIZATION", "Bearer mine"}};
    REQUIRE(the.run.run(c.raw(own)));
    const auto count = [&](std::size_t request, const std::string& name) {
        const auto& sent = the.net->seen[request].headers;
        return std::count_if(sent.begin(), sent.end(), [&](const auto& h) { return h.first == name; });
    };
    CHECK(count(0, "Impersonate-User") == 0);
    CHECK(count(0, "Impersonate-Group") == 0);
    CHECK(count(0, "Authorization") == 0);
    REQUIRE(the.run.run(c.raw({.method = "GET", .target = "/version"})));
    CHECK(count(1, "Impersonate-User") == 1);
    CHECK(count(1, "Impersonate-Group") == 1);
    CHECK(count(1, "Authorization") == 1);
}
