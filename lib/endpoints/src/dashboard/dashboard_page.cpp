#include "dashboard/dashboard_page.hpp"

#include "dashboard_text.hpp"
#include "http/gzip.hpp"

#include <openssl/evp.h>

#include <array>

namespace kubecoro::detail {
namespace {

/// As a policy names a text: 'sha256-...'.
std::string hash_source(std::string_view text)
{
    std::array<unsigned char, 32> digest{};
    EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
    std::array<unsigned char, 45> base64{}; // 44 characters and a zero
    EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(digest.size()));
    return "'sha256-" + std::string(reinterpret_cast<const char*>(base64.data())) + "'";
}

void put(std::string& into, std::string_view mark, std::string_view text)
{
    into.replace(into.find(mark), mark.size(), text);
}

dashboard_page make()
{
    dashboard_page out{dashboard_html,
                       "default-src 'none'; style-src " + hash_source(dashboard_style) + "; script-src " +
                           hash_source(dashboard_script) +
                           "; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"};
    put(out.html, "{style}", dashboard_style);
    put(out.html, "{script}", dashboard_script);
    out.compressed = std::make_shared<const std::string>(gzip(out.html));
    return out;
}

} // namespace

const dashboard_page& the_dashboard_page()
{
    static const dashboard_page page = make();
    return page;
}

} // namespace kubecoro::detail
