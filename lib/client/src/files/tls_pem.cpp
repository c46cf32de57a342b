#include "files/tls_pem.hpp"

#include <algorithm>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace kubecoro::detail {

namespace {

constexpr const char* damaged_certificate = "a certificate is damaged or cut off";
constexpr const char* no_certificate = "not PEM text with a certificate";

struct bio_closer
{
    void operator()(BIO* b) const noexcept { BIO_free(b); }
};
using owned_bio = std::unique_ptr<BIO, bio_closer>;

// Never prompts for a pass phrase on the terminal.
int no_pass_phrase(char*, int, int, void*) { return 0; }

owned_bio reader(std::string_view pem) { return owned_bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

/// Where the next block begins, or the text ends. Blocks are read one by one: one without an end does not take the next along.
std::size_t block_after(std::string_view pem, std::size_t at)
{
    const auto line = pem.find("\n-----BEGIN ", at);
    return line == pem.npos ? pem.size() : line + 1;
}

bool is_no_certificate(unsigned long why) noexcept
{
    return ERR_GET_LIB(why) == ERR_LIB_PEM && ERR_GET_REASON(why) == PEM_R_NO_START_LINE;
}

} // namespace

failure unusable_pem(const std::string& what)
{
    char text[256] = "cannot be parsed";
    if (const auto code = ERR_peek_last_error()) ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return failure(cond::misconfigured, what + ": " + text);
}

pem_certificates read_certificates(const std::string& pem)
{
    ERR_clear_error();
    pem_certificates out;
    for (std::size_t at = 0; at < pem.size();) {
        const auto next = block_after(pem, at);
        auto in = reader(std::string_view(pem).substr(at, next - at));
        at = next;
        openssl_owned<X509> one{PEM_read_bio_X509(in.get(), nullptr, no_pass_phrase, nullptr)};
        // Comments, and blocks of other kinds.
        if (!one && is_no_certificate(ERR_peek_last_error())) continue;
        out.ends_damaged = !one;
        if (one)
            out.all.push_back(std::move(one));
        else
            ++out.damaged;
    }
    if (out.damaged == 0 || !out.all.empty()) ERR_clear_error();
    return out;
}

bool is_encrypted_key(const std::string& pem)
{
    return pem.find("BEGIN ENCRYPTED PRIVATE KEY") != pem.npos || pem.find("Proc-Type: 4,ENCRYPTED") != pem.npos;
}

result<openssl_owned<EVP_PKEY>> read_key(const std::string& pem)
{
    if (is_encrypted_key(pem))
        return failure(cond::misconfigured,
                       "the key is encrypted, and nothing asks for its pass phrase: decrypt it with \"openssl pkey -in "
                       "KEY -out DECRYPTED\" into a file that only you can read, or use a credential plugin");
    ERR_clear_error();
    auto in = reader(pem);
    openssl_owned<EVP_PKEY> key{PEM_read_bio_PrivateKey(in.get(), nullptr, no_pass_phrase, nullptr)};
    if (!key) return unusable_pem("not PEM text with a private key");
    return key;
}

result<> check_authorities(const std::string& pem)
{
    const auto found = read_certificates(pem);
    if (found.ends_damaged) return failure(cond::misconfigured, damaged_certificate);
    if (found.all.empty()) return failure(cond::misconfigured, no_certificate);
    return {};
}

bool use_certificates(SSL_CTX* context, const pem_certificates& found)
{
    if (SSL_CTX_use_certificate(context, found.all.front().get()) != 1) return false;
    return std::all_of(found.all.begin() + 1, found.all.end(), [&](const auto& certificate) {
        return SSL_CTX_add1_chain_cert(context, certificate.get()) == 1;
    });
}

result<> check_pair(const std::string& certificate, const std::string& key)
{
    const auto found = read_certificates(certificate);
    if (found.damaged > 0) return failure(cond::misconfigured, damaged_certificate);
    if (found.all.empty()) return failure(cond::misconfigured, no_certificate);
    const auto secret = read_key(key);
    if (!secret) return secret.error();
    const bool fits = X509_check_private_key(found.all.front().get(), secret->get()) == 1;
    ERR_clear_error();
    if (!fits) return failure(cond::misconfigured, "the key does not belong to the certificate");
    // A key that is too short is refused where it is used.
    const openssl_owned<SSL_CTX> trial{SSL_CTX_new(TLS_method())};
    if (!trial || !use_certificates(trial.get(), found) || SSL_CTX_use_PrivateKey(trial.get(), secret->get()) != 1)
        return unusable_pem("the certificate cannot be used");
    return {};
}

std::optional<std::int64_t> certificate_end(const std::string& pem)
{
    const auto found = read_certificates(pem);
    if (found.all.empty()) return std::nullopt;
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> begin(ASN1_TIME_set(nullptr, 0), ASN1_TIME_free);
    int days = 0;
    int seconds = 0;
    if (!begin || ASN1_TIME_diff(&days, &seconds, begin.get(), X509_get0_notAfter(found.all.front().get())) != 1)
        return std::nullopt;
    return std::int64_t{days} * 24 * 3600 + seconds;
}

} // namespace kubecoro::detail
