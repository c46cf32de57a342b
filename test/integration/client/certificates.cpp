#include "certificates.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace kubecoro::test {

namespace {

struct closer
{
    void operator()(BIO* p) const { BIO_free(p); }
    void operator()(X509* p) const { X509_free(p); }
    void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
    void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
};
template<class T>
using owned = std::unique_ptr<T, closer>;

void must(bool good)
{
    if (!good) throw std::runtime_error("OpenSSL failed to make a certificate");
}

std::string text(BIO* bio)
{
    char* data = nullptr;
    const long n = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(n)};
}

std::string pem(X509* c)
{
    owned<BIO> out(BIO_new(BIO_s_mem()));
    must(PEM_write_bio_X509(out.get(), c) == 1);
    return text(out.get());
}

std::string pem(EVP_PKEY* k)
{
    owned<BIO> out(BIO_new(BIO_s_mem()));
    must(PEM_write_bio_PrivateKey(out.get(), k, nullptr, nullptr, 0, nullptr, nullptr) == 1);
    return text(out.get());
}

void extend(X509* c, X509* issuer, int nid, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, c, nullptr, nullptr, 0);
    owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
    must(extension && X509_add_ext(c, extension.get(), -1) == 1);
}

owned<X509> blank(const std::string& name, EVP_PKEY* key, int days)
{
    owned<X509> c(X509_new());
    must(X509_set_version(c.get(), X509_VERSION_3) == 1);
    unsigned char serial[8];
    must(RAND_bytes(serial, sizeof serial) == 1);
    serial[0] &= 0x7f;
    owned<BIO> unused;
    auto* number = BN_bin2bn(serial, sizeof serial, nullptr);
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(c.get()));
    BN_free(number);
    X509_gmtime_adj(X509_getm_notBefore(c.get()), -10L * 86400);
    X509_gmtime_adj(X509_getm_notAfter(c.get()), days * 86400L);
    must(X509_set_pubkey(c.get(), key) == 1);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(c.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    return c;
}

} // namespace

authority::authority(const std::string& name)
{
    owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
    must(key != nullptr);
    auto c = blank(name, key.get(), 1);
    X509_set_issuer_name(c.get(), X509_get_subject_name(c.get()));
    extend(c.get(), c.get(), NID_basic_constraints, "critical,CA:TRUE");
    extend(c.get(), c.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    must(X509_sign(c.get(), key.get(), EVP_sha256()) > 0);
    self_ = {pem(c.get()), pem(key.get())};
}

identity authority::issue(const std::string& common_name, const std::vector<std::string>& names, int days) const
{
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
    return sign(common_name, all, names.empty() ? "clientAuth" : "serverAuth", days);
}

identity authority::issue_legacy(const std::string& common_name) const
{
    return sign(common_name, {}, "serverAuth", 1);
}

identity authority::issue_weak(const std::string& common_name) const
{
    return sign(common_name, {}, "clientAuth", 1, true);
}

identity authority::sign(const std::string& common_name, const std::string& names, const std::string& usage, int days,
                         bool is_weak) const
{
    owned<BIO> certificate_in(BIO_new_mem_buf(self_.certificate.data(), -1));
    owned<X509> issuer(PEM_read_bio_X509(certificate_in.get(), nullptr, nullptr, nullptr));
    owned<BIO> key_in(BIO_new_mem_buf(self_.key.data(), -1));
    owned<EVP_PKEY> issuer_key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
    must(issuer && issuer_key);
    owned<EVP_PKEY> key(is_weak ? EVP_RSA_gen(512) : EVP_EC_gen("P-256"));
    must(key != nullptr);
    auto c = blank(common_name, key.get(), days);
    X509_set_issuer_name(c.get(), X509_get_subject_name(issuer.get()));
    if (!names.empty()) extend(c.get(), issuer.get(), NID_subject_alt_name, names);
    extend(c.get(), issuer.get(), NID_ext_key_usage, usage);
    must(X509_sign(c.get(), issuer_key.get(), EVP_sha256()) > 0);
    return {pem(c.get()), pem(key.get())};
}

} // namespace kubecoro::test
