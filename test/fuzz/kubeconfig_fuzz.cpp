// Loads arbitrary bytes as a kubeconfig: what is accepted is sound, and the same file a second time changes nothing.
#include "fuzz.hpp"

#include "address/server_address.hpp"
#include "auth/exec_login_core.hpp"
#include "http/request_text.hpp"

#include <kubecoro/client/kubeconfig.hpp>

#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

environment machine(std::string_view text, std::string list)
{
    environment e;
    e.variable = [list = std::move(list)](const std::string& name) -> std::optional<std::string> {
        if (name == "KUBECONFIG") return list;
        return std::nullopt;
    };
    e.read_file = [text](const std::string& path, std::size_t) -> result<std::string> {
        if (path == "/one" || path == "/two") return std::string(text);
        if (path == "/file") return std::string("content");
        return failure(cond::not_found, "no such file");
    };
    return e;
}

void check(const cluster_config& c)
{
    fuzz::require(server_address::parse(c.server).has_value(), "the server is an address");
    fuzz::require(check_impersonation(c.login.as).has_value(), "an impersonated identity has a user");
    const bool has_certificate = !c.client_certificate.empty() || !c.client_certificate_file.empty();
    const bool has_key = !c.client_key.empty() || !c.client_key_file.empty();
    fuzz::require(has_certificate == has_key, "a certificate has a key");
    fuzz::require(!c.insecure || (c.ca.empty() && c.ca_file.empty()), "authorities are used or not");
    const bool has_token = !c.login.token.empty() || !c.login.token_file.empty();
    fuzz::require(!has_token || c.login.username.empty(), "there is one login");
    if (!c.login.exec) return;
    fuzz::require(check_exec(*c.login.exec).has_value(), "a plugin has sound settings");
    for (const bool interactive : {true, false})
        fuzz::require(!exec_info(*c.login.exec, c, interactive).empty(), "a plugin gets its information");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    const auto once = load_kubeconfig({}, machine(text, "/one"));
    const auto twice = load_kubeconfig({}, machine(text, "/one:/two"));
    fuzz::require(once.has_value() == twice.has_value(), "the same file again changes nothing");
    if (!once) {
        fuzz::require(once.error() == cond::misconfigured, "a file that cannot be used is a wrong setting");
        return 0;
    }
    check(*once);
    fuzz::require(once->server == twice->server && once->login.token == twice->login.token && once->ns == twice->ns,
                  "the same file again changes nothing");
    return 0;
}
