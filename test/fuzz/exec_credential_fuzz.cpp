// Reads arbitrary bytes as the output of a credential plugin: what is accepted can be sent, and failures show nothing of it.
#include "fuzz.hpp"

#include "auth/exec_login_core.hpp"

#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    for (const std::string version : {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}) {
        const auto got = read_exec_credential(text, version);
        if (!got) {
            fuzz::require(got.error() == cond::misconfigured, "output that cannot be used is a wrong setting");
            // Reasons are texts of ours and of OpenSSL, whose length does not depend on the output.
            fuzz::require(got.error().message().size() < 300, "a failure shows nothing of the output");
            continue;
        }
        fuzz::require(!got->token.empty() || !got->key.empty(), "credentials are not empty");
        fuzz::require(got->certificate.empty() == got->key.empty(), "a certificate has a key");
        fuzz::require(got->token.find_first_of("\r\n") == std::string::npos, "a token fits into a header");
        const auto other = version.ends_with("/v1") ? version + "beta1" : version.substr(0, version.size() - 5);
        fuzz::require(!read_exec_credential(text, other), "output is of one version");
    }
    return 0;
}
