#include "address/proxy.hpp"

#include <kubecoro/test/catch.hpp>

#include <map>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

environment with(std::map<std::string, std::string> variables)
{
    environment e;
    e.variable = [all = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto found = all.find(name);
        return found == all.end() ? std::nullopt : std::optional(found->second);
    };
    return e;
}

/// The source of the proxy that is chosen, "none", or the failure.
std::string asked(const std::string& url, std::map<std::string, std::string> variables)
{
    const auto chosen = choose_proxy({}, *server_address::parse(url), with(std::move(variables)));
    if (!chosen) return chosen.error().describe();
    return *chosen ? (*chosen)->origin : "none";
}

std::string except(const std::string& url, const std::string& list)
{
    return asked(url, {{"HTTPS_PROXY", "p"}, {"NO_PROXY", list}});
}

/// "http host:port user password", or the failure.
std::string parts(const std::string& url)
{
    const auto p = proxy_address::parse(url);
    if (!p) return p.error().describe();
    using protocol = proxy_address::protocol;
    std::string out = p->speaks == protocol::http ? "http" : p->speaks == protocol::https ? "https" : "socks5";
    out += " " + bracketed(p->host) + ":" + p->port;
    return p->login ? out + " " + p->login->username + " " + p->login->password : out;
}

} // namespace

TEST_CASE("proxy: the scheme's variable selects one, in either case", "[client][proxy]")
{
    CHECK(asked("https://h", {}) == "none");
    CHECK(asked("https://h", {{"HTTPS_PROXY", "http://p"}}) == "HTTPS_PROXY");
    CHECK(asked("https://h", {{"https_proxy", "http://p"}}) == "https_proxy");
    CHECK(asked("https://h", {{"HTTPS_PROXY", ""}, {"https_proxy", "p"}}) == "https_proxy");
    CHECK(asked("https://h", {{"HTTPS_PROXY", "p"}, {"https_proxy", "q"}}) == "HTTPS_PROXY");
    CHECK(asked("https://h", {{"ALL_PROXY", "p"}, {"all_proxy", "p"}}) == "none");
    CHECK(asked("https://h", {{"HTTP_PROXY", "p"}}) == "none");
    CHECK(asked("http://h", {{"HTTP_PROXY", "p"}}) == "HTTP_PROXY");
    CHECK(asked("http://h", {{"HTTPS_PROXY", "p"}}) == "none");
}

TEST_CASE("proxy: none for loopback addresses", "[client][proxy]")
{
    for (const char* url : {"https://localhost:6443", "https://127.0.0.1:6443", "https://127.9.9.9", "https://[::1]:1"})
        CHECK(except(url, "") == "none");
    CHECK(except("https://[::ffff:127.0.0.1]:1", "") == "none");
    CHECK(except("https://10.0.0.1", "") == "HTTPS_PROXY");
    // A proxy of the cluster itself is used also there.
    const auto own = choose_proxy("http://p", *server_address::parse("https://localhost"), with({{"NO_PROXY", "*"}}));
    REQUIRE(own);
    REQUIRE(*own);
    CHECK((*own)->origin == "proxy-url");
    CHECK((*own)->address.host == "p");
}

TEST_CASE("proxy: the cluster's own has precedence over the environment", "[client][proxy]")
{
    const auto chosen = choose_proxy("socks5://own", *server_address::parse("https://h"),
                                     with({{"HTTPS_PROXY", "http://other"}, {"NO_PROXY", "h"}}));
    REQUIRE(chosen);
    REQUIRE(*chosen);
    CHECK((*chosen)->address.host == "own");
}

TEST_CASE("proxy: none at all is a choice of a cluster's own, which no proxy's URL is", "[client][proxy]")
{
    const auto chosen = choose_proxy(std::string(no_proxy), *server_address::parse("https://h"),
                                     with({{"HTTPS_PROXY", "http://other"}}));
    REQUIRE(chosen);
    CHECK_FALSE(*chosen);
    CHECK_FALSE(proxy_address::parse(no_proxy));
}

TEST_CASE("proxy: a variable may lack the scheme, and one that is not usable is reported", "[client][proxy]")
{
    const auto chosen = choose_proxy({}, *server_address::parse("https://h"), with({{"HTTPS_PROXY", "u:pw@p:3128"}}));
    REQUIRE(chosen);
    CHECK((*chosen)->address.name() == "the proxy p:3128");
    CHECK((*chosen)->address.authorization() == "Basic dTpwdw==");
    for (const char* bad : {"ftp://u:geheim@p", "http://u:geheim@p:x", "http://u:geheim@", "http://u:geheim@p:99999"}) {
        const auto why = asked("https://h", {{"https_proxy", bad}});
        CHECK(why.find("misconfigured: https_proxy: the proxy's URL ") == 0);
        CHECK(why.find("geheim") == why.npos);
    }
    CHECK(asked("http://h", {{"HTTP_PROXY", "p"}, {"REQUEST_METHOD", "GET"}}).find("CGI") != std::string::npos);
    CHECK(asked("https://h", {{"HTTPS_PROXY", "p"}, {"REQUEST_METHOD", "GET"}}) == "HTTPS_PROXY");
}

TEST_CASE("proxy: the parts of its URL", "[client][proxy]")
{
    CHECK(parts("http://p") == "http p:80");
    CHECK(parts("HTTPS://p") == "https p:443");
    CHECK(parts("socks5://p") == "socks5 p:1080");
    CHECK(parts("socks5h://p:9/") == "socks5 p:9");
    CHECK(parts("http://[fd00::1]:3128/path?x=1#y") == "http [fd00::1]:3128");
    CHECK(parts("http://user:p%40ss%3A@p") == "http p:80 user p@ss:");
    // As in Go, the last @ ends the login.
    CHECK(parts("http://user:p@s@s@p:8/a@b") == "http p:8 user p@s@s");
    CHECK(parts("http://user@p") == "http p:80 user ");
    // Such a host would end a line of a request.
    CHECK(parts("http://a%0d%0aX%3a%20y%0d%0a:80").find("percent-encoded host") != std::string::npos);
    CHECK(parts("http://a%00b").find("percent-encoded host") != std::string::npos);
    CHECK(parts("p:3128").find("misconfigured") == 0);
    CHECK(parts("ftp://p").find("another scheme") != std::string::npos);
    CHECK(parts("http://").find("misconfigured") == 0);
    CHECK(parts("http://p:0").find("no valid port") != std::string::npos);
    CHECK(parts("http://p:8x").find("misconfigured") == 0);
    const std::string longest(255, 'x');
    CHECK(parts("socks5://" + longest + ":" + longest + "@p") == "socks5 p:1080 " + longest + " " + longest);
    CHECK(parts("socks5://u:" + longest + "x@p").find("SOCKS5 cannot carry") != std::string::npos);
    CHECK(parts("socks5://:pw@p").find("SOCKS5 cannot carry") != std::string::npos);
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
    CHECK(direct("https://[::ffff:10.1.2.3]", "10.0.0.0/8"));
    CHECK(direct("https://10.1.2.3:6443", "10.1.2.3:6443"));
    CHECK_FALSE(direct("https://10.1.2.3:6443", "10.1.2.3:443"));
    CHECK_FALSE(direct("https://h", "a,*:443"));
    CHECK(direct("https://h", "a,*"));
    CHECK(direct("https://h", "\th\n"));
    CHECK_FALSE(direct("https://ab", "a b"));
    CHECK_FALSE(direct("https://h", ":443"));
    CHECK(direct("https://a.b.example.com:6443", ".example.com:6443"));
    CHECK(direct("https://h:6443", "h:6443"));
    CHECK_FALSE(direct("https://h:6443", "h:443"));
    CHECK(asked("https://h", {{"https_proxy", "p"}, {"no_proxy", "h"}}) == "none");
}
