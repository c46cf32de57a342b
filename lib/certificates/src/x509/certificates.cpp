#include <kubecoro/certificates/certificates.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <utility>

namespace kubecoro {
namespace {

template<auto Free>
struct freed_by
{
    template<class T>
    void operator()(T* p) const noexcept
    {
        Free(p);
    }
};
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using cert_ptr = std::unique_ptr<X509, freed_by<X509_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free_all>>;
using extension_ptr = std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>>;

failure openssl_failure(std::string_view doing)
{
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    ERR_clear_error();
    return failure{cond::internal, std::string(doing) + ": " + text.data()};
}

struct issuer
{
    X509* certificate;
    EVP_PKEY* key;
};

struct certificate_plan
{
    std::string common_name;
    std::vector<std::string> organizations = {};
    const char* constraints;
    const char* key_usage;
    const char* extended_usage = nullptr;
    std::string alternative_names = {};
    time_t from = 0;
    time_t until = 0;
};

bool add_name(X509_NAME* name, const char* field, const std::string& value)
{
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                      static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* signer, int nid, const char* value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer, certificate, nullptr, nullptr, 0);
    extension_ptr extension{X509V3_EXT_conf_nid(nullptr, &context, nid, value)};
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate)
{
    std::array<unsigned char, 16> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
    bytes[0] &= 0x7f;
    std::unique_ptr<BIGNUM, freed_by<BN_free>> number{BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr)};
    return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool fill(X509* certificate, const certificate_plan& plan, EVP_PKEY* key, X509* signer)
{
    X509_NAME* subject = X509_get_subject_name(certificate);
    for (const std::string& o : plan.organizations)
        if (!add_name(subject, "O", o)) return false;
    return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
           X509_time_adj_ex(X509_getm_notBefore(certificate), 0, 0, const_cast<time_t*>(&plan.from)) != nullptr &&
           X509_time_adj_ex(X509_getm_notAfter(certificate), 0, 0, const_cast<time_t*>(&plan.until)) != nullptr &&
           add_name(subject, "CN", plan.common_name) &&
           X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1 &&
           X509_set_pubkey(certificate, key) == 1 &&
           add_extension(certificate, signer, NID_basic_constraints, plan.constraints) &&
           add_extension(certificate, signer, NID_key_usage, plan.key_usage) &&
           add_extension(certificate, signer, NID_subject_key_identifier, "hash") &&
           (!plan.extended_usage || add_extension(certificate, signer, NID_ext_key_usage, plan.extended_usage)) &&
           (plan.alternative_names.empty() ||
            add_extension(certificate, signer, NID_subject_alt_name, plan.alternative_names.c_str()));
}

// Without an issuer the certificate is self-signed.
cert_ptr make_certificate(const certificate_plan& plan, EVP_PKEY* key, const issuer* by)
{
    cert_ptr certificate{X509_new()};
    if (!certificate || !fill(certificate.get(), plan, key, by ? by->certificate : certificate.get())) return {};
    if (X509_sign(certificate.get(), by ? by->key : key, EVP_sha256()) == 0) return {};
    return certificate;
}

std::string contents(BIO* bio)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string pem(X509* certificate)
{
    bio_ptr out{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(out.get(), certificate);
    return contents(out.get());
}

std::string pem(EVP_PKEY* key)
{
    bio_ptr out{BIO_new(BIO_s_mem())};
    PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return contents(out.get());
}

key_ptr read_key(const std::string& text)
{
    bio_ptr in{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    return key_ptr{PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr)};
}

cert_ptr read_x509(const std::string& text)
{
    bio_ptr in{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    return cert_ptr{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)};
}

// Rejects names with separators: OpenSSL's configuration syntax separates by comma, so such a name could add an entry.
result<std::string> alternative_names(const std::vector<std::string>& names)
{
    std::string text = "IP:127.0.0.1,IP:::1,DNS:localhost";
    for (const std::string& name : names) {
        if (name.empty() || name.find_first_of(", \t\r\n") != std::string::npos)
            return failure{cond::invalid, "certificate name '" + name + "' is not a host name or address"};
        boost::system::error_code not_an_address;
        boost::asio::ip::make_address(name, not_an_address);
        text += (not_an_address ? ",DNS:" : ",IP:") + name;
    }
    return text;
}

} // namespace

result<tls_authority> tls_authority::generate(wall_time now, std::chrono::hours valid_for, std::string name)
{
    key_ptr key{EVP_EC_gen("P-256")};
    if (!key) return openssl_failure("generate keys");
    const certificate_plan plan{.common_name = std::move(name),
                                .constraints = "critical,CA:TRUE",
                                .key_usage = "critical,keyCertSign,cRLSign",
                                .from = std::chrono::system_clock::to_time_t(now - std::chrono::hours{1}),
                                .until = std::chrono::system_clock::to_time_t(now + valid_for)};
    cert_ptr certificate = make_certificate(plan, key.get(), nullptr);
    if (!certificate) return openssl_failure("make the authority's certificate");
    return tls_authority{pem(certificate.get()), pem(key.get())};
}

result<tls_identity> tls_identity::generate(const tls_identity_options& options)
{
    const auto names = alternative_names(options.names);
    if (!names) return names.error();
    const time_t from = std::chrono::system_clock::to_time_t(options.now - std::chrono::hours{1});
    const time_t until = std::chrono::system_clock::to_time_t(options.now + options.valid_for);

    auto authority = options.authority ? result<tls_authority>(*options.authority)
                                       : tls_authority::generate(options.now, options.valid_for);
    if (!authority) return authority.error();
    const key_ptr ca_key = read_key(authority->key);
    const cert_ptr ca = read_x509(authority->certificate);
    if (!ca_key || !ca || X509_check_private_key(ca.get(), ca_key.get()) != 1)
        return failure{cond::invalid, "the certificate authority is not a certificate with its key"};
    key_ptr server_key{EVP_EC_gen("P-256")};
    if (!server_key) return openssl_failure("generate keys");
    const issuer by{ca.get(), ca_key.get()};

    const certificate_plan server_plan{.common_name = options.server_name,
                                       .constraints = "critical,CA:FALSE",
                                       .key_usage = "critical,digitalSignature",
                                       .extended_usage = "serverAuth",
                                       .alternative_names = *names,
                                       .from = from,
                                       .until = until};
    cert_ptr server = make_certificate(server_plan, server_key.get(), &by);
    if (!server) return openssl_failure("make the server's certificate");

    tls_identity identity{pem(ca.get()), pem(server.get()), pem(server_key.get()), {}, {}};
    if (options.client_user.empty()) return identity;

    key_ptr client_key{EVP_EC_gen("P-256")};
    if (!client_key) return openssl_failure("generate keys");
    const certificate_plan client_plan{.common_name = options.client_user,
                                       .organizations = options.client_groups,
                                       .constraints = "critical,CA:FALSE",
                                       .key_usage = "critical,digitalSignature",
                                       .extended_usage = "clientAuth",
                                       .from = from,
                                       .until = until};
    cert_ptr client = make_certificate(client_plan, client_key.get(), &by);
    if (!client) return openssl_failure("make the client's certificate");
    identity.client_certificate = pem(client.get());
    identity.client_key = pem(client_key.get());
    return identity;
}

result<std::string> random_token()
{
    std::array<unsigned char, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return openssl_failure("read random bytes");
    constexpr std::string_view digits = "0123456789abcdef";
    std::string token;
    for (const unsigned char b : bytes) {
        token += digits[b >> 4];
        token += digits[b & 15];
    }
    return token;
}

namespace {

std::optional<wall_time> time_of(const ASN1_TIME* at)
{
    std::tm parts{};
    if (ASN1_TIME_to_tm(at, &parts) != 1) return {};
    return std::chrono::system_clock::from_time_t(::timegm(&parts));
}

std::string address_text(const unsigned char* bytes, std::size_t size)
{
    using boost::asio::ip::address_v4;
    using boost::asio::ip::address_v6;
    const auto copied = [&](auto into) {
        std::copy_n(bytes, into.size(), into.begin());
        return into;
    };
    if (size == address_v4::bytes_type().size()) return address_v4(copied(address_v4::bytes_type())).to_string();
    if (size == address_v6::bytes_type().size()) return address_v6(copied(address_v6::bytes_type())).to_string();
    return {};
}

std::vector<std::string> names_of(X509* certificate)
{
    using names_ptr = std::unique_ptr<GENERAL_NAMES, freed_by<GENERAL_NAMES_free>>;
    const names_ptr all{
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
    std::vector<std::string> out;
    for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
        const auto* name = sk_GENERAL_NAME_value(all.get(), i);
        if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
        const auto* held = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
        const auto* bytes = ASN1_STRING_get0_data(held);
        const auto size = static_cast<std::size_t>(ASN1_STRING_length(held));
        if (name->type == GEN_DNS)
            out.emplace_back(reinterpret_cast<const char*>(bytes), size);
        else if (auto address = address_text(bytes, size); !address.empty())
            out.push_back(std::move(address));
    }
    return out;
}

} // namespace

namespace detail {
result<certificate_facts> read_certificate(std::string_view pem_text)
{
    const cert_ptr found = read_x509(std::string(pem_text));
    if (!found) return openssl_failure("read a certificate");
    const auto from = time_of(X509_get0_notBefore(found.get())), until = time_of(X509_get0_notAfter(found.get()));
    if (!from || !until) return openssl_failure("read the times of a certificate");
    return certificate_facts{*from, *until, pem(found.get()), names_of(found.get())};
}

std::vector<std::string> split_certificates(std::string_view bundle)
{
    std::vector<std::string> out;
    const std::string text(bundle);
    const bio_ptr in{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    while (cert_ptr next{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)}) out.push_back(pem(next.get()));
    ERR_clear_error(); // that of the end
    return out;
}

bool is_issued_by(std::string_view certificate, std::string_view authority)
{
    const cert_ptr issued = read_x509(std::string(certificate)), by = read_x509(std::string(authority));
    const bool is = issued && by && X509_check_issued(by.get(), issued.get()) == X509_V_OK &&
                    X509_verify(issued.get(), X509_get0_pubkey(by.get())) == 1;
    ERR_clear_error();
    return is;
}

bool is_key_of(std::string_view key, std::string_view certificate)
{
    const key_ptr k = read_key(std::string(key));
    const cert_ptr c = read_x509(std::string(certificate));
    const bool is = k && c && X509_check_private_key(c.get(), k.get()) == 1;
    ERR_clear_error();
    return is;
}
} // namespace detail
} // namespace kubecoro
