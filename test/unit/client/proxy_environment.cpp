#include "config/proxy_environment.hpp"

#include <kubecoro/test/catch.hpp>

#include <map>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

std::string asked(const std::string& url, std::map<std::string, std::string> variables)
{
    environment e;
    e.variable = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return proxy_variable(*server_address::parse(url), e).value_or("none");
}

std::string except(const std::string& url, const std::string& list)
{
    return asked(url, {{"HTTPS_PROXY", "p"}, {"NO_PROXY", list}});
}

} // namespace

TEST_CASE("proxy: the scheme's variable selects one, in either case", "[client][proxy]")
{
    CHECK(asked("https://h", {}) == "none");
    CHECK(asked("https://h", {{"HTTPS_PROXY", "http://p"}}) == "HTTPS_PROXY");
    CHECK(asked("https://h", {{"https_proxy", "http://p"}}) == "https_proxy");
    CHECK(asked("https://h", {{"HTTPS_PROXY", ""}, {"https_proxy", "p"}}) == "https_proxy");
    CHECK(asked("https://h", {{"HTTP_PROXY", "p"}}) == "none");
    CHECK(asked("http://h", {{"HTTP_PROXY", "p"}}) == "HTTP_PROXY");
    CHECK(asked("http://h", {{"HTTPS_PROXY", "p"}}) == "none");
}

TEST_CASE("proxy: none for loopback addresses", "[client][proxy]")
{
    for (const char* url : {"https://localhost:6443", "https://127.0.0.1:6443", "https://127.9.9.9", "https://[::1]:1"})
        CHECK(except(url, "") == "none");
    CHECK(except("https://10.0.0.1", "") == "HTTPS_PROXY");
}

TEST_CASE("proxy: NO_PROXY lists hosts, domains, addresses, networks and ports", "[client][proxy]")
{
    const auto direct = [](const std::string& url, const std::string& list) { return except(url, list) == "none"; };
    CHECK(direct("https://h", "*"));
    CHECK(direct("https://api.example.com", "other, EXAMPLE.com ,"));
    CHECK(direct("https://example.com", "example.com"));
    CHECK(direct("https://api.example.com", ".example.com"));
    CHECK(direct("https://api.example.com", "*.example.com"));
    CHECK_FALSE(direct("https://example.com", ".example.com"));
    CHECK_FALSE(direct("https://badexample.com", "example.com"));
    CHECK_FALSE(direct("https://h", "other,,"));
    CHECK(direct("https://10.1.2.3", "10.0.0.0/8"));
    CHECK_FALSE(direct("https://11.1.2.3", "10.0.0.0/8"));
    CHECK_FALSE(direct("https://h", "0.0.0.0/0"));
    CHECK(direct("https://10.1.2.3", "10.1.2.3"));
    CHECK_FALSE(direct("https://10.1.2.3", "10.1.2.4"));
    CHECK(direct("https://[fd00::1]", "fd00::/8"));
    CHECK(direct("https://[fd00::1]", "fd00:0::1"));
    CHECK(direct("https://[fd00::1]", "[fd00::1]:443"));
    CHECK_FALSE(direct("https://[fe80::1]", "fd00::/8,10.0.0.0/8"));
    CHECK(direct("https://h:6443", "h:6443"));
    CHECK_FALSE(direct("https://h:6443", "h:443"));
    CHECK(asked("https://h", {{"https_proxy", "p"}, {"no_proxy", "h"}}) == "none");
}
