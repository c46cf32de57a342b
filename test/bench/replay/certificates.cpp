#include "certificates.hpp"

#include <kubecoro/apiserver/tls.hpp>

#include <chrono>
#include <filesystem>
#include <utility>

namespace kubecoro::bench {

result<> provide_certificates(const std::string& directory)
{
    const std::filesystem::path folder(directory);
    if (std::filesystem::exists(folder / "server.crt")) return {};
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return failure{cond::misconfigured, "cannot create " + directory + ": " + error.message()};
    apiserver::tls_identity_options options;
    options.now = std::chrono::system_clock::now();
    const auto identity = apiserver::tls_identity::generate(options);
    if (!identity) return identity.error();
    for (const auto& [name, text] :
         {std::pair("ca.crt", &identity->ca_certificate), std::pair("server.key", &identity->server_key),
          std::pair("server.crt", &identity->server_certificate)})
        if (auto written = apiserver::write_private_file((folder / name).string(), *text); !written)
            return written.error();
    return {};
}

} // namespace kubecoro::bench
