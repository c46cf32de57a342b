// Certificates that are made, and read again.
#include <kubecoro/certificates/certificates.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <string>

using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

const wall_time start = std::chrono::system_clock::from_time_t(1'800'000'000);

tls_identity issued_by(const tls_authority& by, std::chrono::hours life = 48h)
{
    return tls_identity::generate({.names = {"hooks.ops.svc"}, .now = start, .valid_for = life, .authority = by})
        .value();
}

} // namespace

TEST_CASE("certificates: their times are read", "[certificates]")
{
    const auto authority = tls_authority::generate(start, 240h).value();
    const auto facts = detail::read_certificate(authority.certificate).value();
    CHECK(facts.from == start - 1h);
    CHECK(facts.until == start + 240h);
    CHECK(facts.pem == authority.certificate);
    const auto serving = detail::read_certificate(issued_by(authority).server_certificate).value();
    CHECK(serving.until == start + 48h);
    CHECK(serving.names == std::vector<std::string>{"127.0.0.1", "::1", "localhost", "hooks.ops.svc"});
    CHECK_FALSE(detail::read_certificate("-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n"));
    CHECK_FALSE(detail::read_certificate(""));
}

TEST_CASE("certificates: the issuer is found by its signature, not by its name", "[certificates]")
{
    const auto a = tls_authority::generate(start, 240h, "same").value(),
               b = tls_authority::generate(start, 240h, "same").value(),
               c = tls_authority::generate(start, 240h, "other").value();
    const auto of_a = issued_by(a);
    CHECK(detail::is_issued_by(of_a.server_certificate, a.certificate));
    CHECK_FALSE(detail::is_issued_by(of_a.server_certificate, b.certificate));
    CHECK_FALSE(detail::is_issued_by(of_a.server_certificate, c.certificate));
    CHECK_FALSE(detail::is_issued_by("", a.certificate));
    CHECK_FALSE(detail::is_issued_by(of_a.server_certificate, "x"));
    CHECK(detail::is_key_of(of_a.server_key, of_a.server_certificate));
    CHECK(detail::is_key_of(a.key, a.certificate));
    CHECK_FALSE(detail::is_key_of(a.key, b.certificate));
    CHECK_FALSE(detail::is_key_of("", b.certificate));
}

TEST_CASE("certificates: a bundle is split up to what cannot be read", "[certificates]")
{
    const auto a = tls_authority::generate(start, 240h).value(), b = tls_authority::generate(start, 240h).value();
    CHECK(detail::split_certificates("") == std::vector<std::string>{});
    CHECK(detail::split_certificates("# a comment\n" + a.certificate + "\n" + b.certificate) ==
          std::vector<std::string>{a.certificate, b.certificate});
    CHECK(detail::split_certificates(a.certificate + b.certificate.substr(0, 100)) ==
          std::vector<std::string>{a.certificate});
}
