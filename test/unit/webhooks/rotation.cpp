// Certificates of webhooks over years: two replicas that share a Secret, writes that fail or come late, and Secrets that are
// taken away. At each moment the servers trust what every replica shows.
#include "certificates/rotation_core.hpp"

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/random_amount.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace kubecoro;
using namespace std::chrono_literals;
using detail::certificate_secret;
using detail::rotation_core;

namespace {

const detail::rotation_rules rules{.names = {"hooks.ops.svc"},
                                   .authority_life = 24h * 300,
                                   .certificate_life = 24h * 30,
                                   .settling = 300s,
                                   .overlap = 24h,
                                   .look_again = 6h};

/// The Secret and the configurations of a cluster.
struct cluster
{
    std::optional<certificate_secret> secret;
    std::uint64_t version = 0;
    /// Two configurations, which servers read with a delay: `seen` is what they have read.
    std::vector<std::string> bundles{"", ""};
    std::vector<std::string> seen{"", ""};
};

struct replica
{
    rotation_core core{rules};
    /// The version that it has read.
    std::uint64_t version = 0;
    wall_time wakes = {};
    rotation_core::step next = rotation_core::read{};
    std::size_t writes = 0;
};

/// The time in which an authority of the bundle stands for the certificate, found once.
std::pair<wall_time, wall_time> trusted_time(const std::string& bundle, const std::string& certificate)
{
    static std::map<std::pair<std::string, std::string>, std::pair<wall_time, wall_time>> known;
    const auto [found, is_new] = known.try_emplace({bundle, certificate});
    if (!is_new) return found->second;
    const auto facts = detail::read_certificate(certificate);
    for (const auto& c : detail::split_certificates(bundle))
        if (facts && detail::is_issued_by(certificate, c)) {
            const auto by = detail::read_certificate(c);
            found->second = {std::max(by->from, facts->from), std::min(by->until, facts->until)};
        }
    return found->second;
}

bool trusts(const std::string& bundle, const std::string& certificate, wall_time now)
{
    const auto [from, until] = trusted_time(bundle, certificate);
    return from <= now && now < until;
}

struct world
{
    explicit world(std::uint64_t seed, int percent_of_faults) : random(seed), faults(percent_of_faults)
    {
        for (auto& r : replicas) r.wakes = now;
    }

    bool fault() { return static_cast<int>(random() % 100) < faults; }

    /// Performs one step of a replica.
    void perform(replica& r)
    {
        if (std::get_if<rotation_core::read>(&r.next)) {
            if (fault()) {
                r.next = r.core.have_read(failure(cond::unreachable), now);
                return;
            }
            r.version = api.version;
            r.next = r.core.have_read(rotation_core::picture{api.secret, api.bundles}, now);
        } else if (const auto* w = std::get_if<rotation_core::write>(&r.next)) {
            r.next = r.core.have_written(store(r, w->content));
        } else if (const auto* p = std::get_if<rotation_core::publish>(&r.next)) {
            r.next = r.core.have_written(publish(p->bundle));
        } else {
            r.wakes = now + std::get<rotation_core::wait>(r.next).length;
            r.next = r.core.begin();
        }
    }
    result<> store(replica& r, const certificate_secret& content)
    {
        if (fault()) return failure(cond::unreachable);
        if (r.version != api.version) return failure(cond::conflict);
        api.secret = content;
        ++api.version;
        ++r.writes;
        if (fault()) return failure(cond::unreachable); // the answer is lost
        return {};
    }
    result<> publish(const std::string& bundle)
    {
        for (auto& b : api.bundles) {
            if (fault()) return failure(cond::unreachable);
            b = bundle;
        }
        return {};
    }
    void restart(replica& r)
    {
        r = replica{};
        r.wakes = now;
    }
    /// All servers must trust the certificates that replicas show. They have read the configurations a minute after a write.
    void check(bool all_must_serve) const
    {
        for (const auto& r : replicas) {
            const auto& shown = r.core.serving();
            if (all_must_serve) REQUIRE(shown);
            if (!shown) continue;
            for (const auto& b : api.seen) REQUIRE(trusts(b, shown->certificate, now));
        }
    }
    /// Lets time pass. @param disturb  Called before each step.
    void pass(std::chrono::seconds length, const std::function<void()>& disturb = {})
    {
        const auto end = now + length;
        while (true) {
            auto& r = std::min(replicas[0].wakes, replicas[1].wakes) == replicas[0].wakes ? replicas[0] : replicas[1];
            if (r.wakes > end) break;
            if (r.wakes > now + 60s) api.seen = api.bundles;
            now = std::max(now, r.wakes);
            if (settled) check(true);
            if (disturb) disturb();
            // Steps of both may interleave while both are awake.
            auto& stepping = replicas[0].wakes <= now && replicas[1].wakes <= now ? replicas[random() % 2] : r;
            perform(stepping);
            if (api.secret && api.secret->certificate != shown_last) {
                shown_last = api.secret->certificate;
                ++certificates;
                authorities.insert(api.secret->signer.certificate);
            }
        }
        now = end;
        api.seen = api.bundles;
    }

    cluster api;
    replica replicas[2];
    wall_time now = std::chrono::system_clock::from_time_t(1'800'000'000);
    detail::random_source random;
    int faults;
    /// From the moment at which all began well, each server must trust each replica.
    bool settled = false;
    std::string shown_last;
    std::size_t certificates = 0;
    std::set<std::string> authorities;
};

} // namespace

TEST_CASE("rotation: a first replica makes all, and a second one takes it over", "[webhooks][certificates]")
{
    world w(1, 0);
    w.pass(1h);
    REQUIRE(w.api.secret);
    CHECK(w.replicas[0].writes + w.replicas[1].writes == 1);
    CHECK(w.replicas[0].core.serving() == w.replicas[1].core.serving());
    CHECK(w.api.bundles == std::vector<std::string>(2, w.api.secret->signer.certificate));
    CHECK(w.api.secret->next.certificate.empty());
    w.check(true);
    CHECK(certificate_secret::read(w.api.secret->data()).data() == w.api.secret->data());
}

TEST_CASE("rotation: over ten years each certificate is replaced in time, and each authority before it signs",
          "[webhooks][certificates]")
{
    world w(2, 0);
    w.pass(1h);
    w.settled = true;
    w.pass(24h * 365 * 10);
    w.check(true);
    CHECK(w.authorities.size() >= 17); // one in 200 days
    CHECK(w.authorities.size() <= 20);
    CHECK(w.certificates >= 180); // one in 20 days
    CHECK(w.certificates <= 220);
    CHECK(detail::split_certificates(w.api.bundles[0]).size() <= 2);
}

TEST_CASE("rotation: writes that fail, conflict or lose their answer delay it, and break nothing",
          "[webhooks][certificates]")
{
    const auto amount = test::wanted_amount();
    for (std::size_t i = 0; i < std::max<std::size_t>(2, amount.each / 100); ++i) {
        const auto seed = amount.seed + i;
        CAPTURE(seed);
        world w(seed, 30);
        w.pass(24h);
        w.settled = true;
        w.pass(24h * 365 * 2, [&] {
            if (w.random() % 400 == 0)
                w.restart(w.replicas[w.random() % 2]), w.settled = false;
            else if (w.replicas[0].core.serving() && w.replicas[1].core.serving())
                w.settled = true;
        });
        CHECK(w.authorities.size() >= 3);
    }
}

TEST_CASE("rotation: a Secret that is deleted, emptied or exchanged is made again without an outage",
          "[webhooks][certificates]")
{
    world w(4, 0);
    w.pass(24h);
    w.settled = true;
    const auto before = w.api.secret->signer.certificate;
    SECTION("deleted") { w.api.secret.reset(); }
    SECTION("emptied") { w.api.secret = certificate_secret{}; }
    SECTION("with the key of another") { w.api.secret->signer.key = w.api.secret->key; }
    SECTION("with a bundle of others") { w.api.secret->bundle = w.api.secret->certificate; }
    ++w.api.version;
    w.pass(12h);
    REQUIRE(w.api.secret);
    CHECK(w.api.secret->signer.certificate != before);
    CHECK(detail::split_certificates(w.api.secret->bundle).size() == 2);
    CHECK(w.replicas[0].core.serving()->certificate == w.api.secret->certificate);
    w.pass(48h);
    CHECK(w.api.secret->bundle == w.api.secret->signer.certificate); // the old authority has gone
    w.check(true);
}

TEST_CASE("rotation: a serving certificate that is damaged, or for other names, is replaced",
          "[webhooks][certificates]")
{
    world w(5, 0);
    w.pass(24h);
    const auto signer = w.api.secret->signer.certificate;
    SECTION("damaged") { w.api.secret->certificate = "x"; }
    SECTION("the key of another") { w.api.secret->key = w.api.secret->signer.key; }
    SECTION("other names")
    {
        const auto other =
            tls_identity::generate({.names = {"other"}, .now = w.now, .authority = w.api.secret->signer}).value();
        w.api.secret->certificate = other.server_certificate;
        w.api.secret->key = other.server_key;
    }
    ++w.api.version;
    w.pass(24h);
    CHECK(w.api.secret->signer.certificate == signer);
    CHECK(detail::read_certificate(w.api.secret->certificate).value().names ==
          std::vector<std::string>{"127.0.0.1", "::1", "localhost", "hooks.ops.svc"});
    CHECK(detail::is_key_of(w.api.secret->key, w.api.secret->certificate));
    w.check(true);
}

TEST_CASE("rotation: a bundle that others remove comes back, and one that they always remove is no tight loop",
          "[webhooks][certificates]")
{
    world w(6, 0);
    w.pass(24h);
    w.api.bundles[1].clear();
    w.pass(12h);
    CHECK(w.api.bundles[1] == w.api.secret->bundle);
    rotation_core core(rules);
    auto step = core.begin();
    std::size_t writes = 0;
    for (int i = 0; i < 1000 && !std::holds_alternative<rotation_core::wait>(step); ++i) {
        if (std::holds_alternative<rotation_core::read>(step)) {
            step = core.have_read(rotation_core::picture{w.api.secret, {""}}, w.now);
        } else {
            ++writes;
            step = core.have_written(result<>());
        }
    }
    CHECK(std::holds_alternative<rotation_core::wait>(step));
    CHECK(writes < 20);
}

TEST_CASE("rotation: a program that has stood still for years begins again", "[webhooks][certificates]")
{
    world w(7, 0);
    w.pass(24h);
    w.now += 24h * 365 * 3;
    for (auto& r : w.replicas) w.restart(r);
    w.pass(24h);
    w.check(true);
    CHECK(detail::split_certificates(w.api.secret->bundle).size() == 1);
}

TEST_CASE("rotation: a new authority signs when servers have had time to read the configurations",
          "[webhooks][certificates]")
{
    world w(8, 0);
    w.pass(1h);
    const auto first = w.api.secret->signer.certificate;
    w.now += 24h * 201; // the program stood still until its authority is to be replaced
    for (auto& r : w.replicas) w.restart(r);
    w.pass(200s);
    CHECK(w.api.secret->signer.certificate == first);
    CHECK_FALSE(w.api.secret->next.certificate.empty());
    CHECK(detail::split_certificates(w.api.bundles[0]).size() == 2);
    w.check(true); // the old authority has signed a new certificate at once
    w.pass(200s);
    CHECK(w.api.secret->signer.certificate != first);
    CHECK(w.api.secret->next.certificate.empty());
}

TEST_CASE("rotation: a replica whose clock is late by a year takes no trust from the authority of the others",
          "[webhooks][certificates]")
{
    world w(9, 0);
    w.pass(24h);
    rotation_core late(rules);
    (void)late.begin();
    const auto step = late.have_read(rotation_core::picture{w.api.secret, w.api.bundles}, w.now - 24h * 365);
    const auto* made = std::get_if<rotation_core::write>(&step);
    REQUIRE(made != nullptr);
    CHECK(made->content.signer.certificate != w.api.secret->signer.certificate);
    CHECK(trusts(made->content.bundle, w.api.secret->certificate, w.now));
}
