#pragma once
// Reads certificates and keys from PEM text.

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace kubecoro::detail {

struct openssl_closer
{
    void operator()(X509* c) const noexcept { X509_free(c); }
    void operator()(EVP_PKEY* k) const noexcept { EVP_PKEY_free(k); }
    void operator()(SSL_CTX* c) const noexcept { SSL_CTX_free(c); }
};
template<class T>
using openssl_owned = std::unique_ptr<T, openssl_closer>;

/// The certificates of a text, in order. As in Go, damaged ones are passed over.
struct pem_certificates
{
    std::vector<openssl_owned<X509>> all = {};
    std::size_t damaged = 0;
    /// The last certificate is damaged or cut off: the file may be half-written.
    bool ends_damaged = false;
};

[[nodiscard]] pem_certificates read_certificates(const std::string& pem);

/// Whether the text is a private key that only a pass phrase opens.
[[nodiscard]] bool is_encrypted_key(const std::string& pem);

/// Never asks for a pass phrase. Errors: misconfigured, with OpenSSL's reason.
[[nodiscard]] result<openssl_owned<EVP_PKEY>> read_key(const std::string& pem);

/// Fails with cond::misconfigured unless the text is complete and has a certificate. Damaged ones before the last are allowed.
[[nodiscard]] result<> check_authorities(const std::string& pem);

/// Shows the first certificate, with the others as its chain. False: OpenSSL refuses one, and has noted the reason.
[[nodiscard]] bool use_certificates(SSL_CTX* context, const pem_certificates& found);

/// Fails with cond::misconfigured unless certificate and key are complete, belong together and are strong enough for TLS.
[[nodiscard]] result<> check_pair(const std::string& certificate, const std::string& key);

/// When the first certificate of a text ends, in seconds since 1970; nothing if there is none.
[[nodiscard]] std::optional<std::int64_t> certificate_end(const std::string& pem);

/// A failure with the reason that OpenSSL has noted. Clears OpenSSL's notes.
[[nodiscard]] failure unusable_pem(const std::string& what);

} // namespace kubecoro::detail
