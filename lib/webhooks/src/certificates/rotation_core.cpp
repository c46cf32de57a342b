#include "certificates/rotation_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr duration first_pause = std::chrono::seconds{1};
constexpr duration longest_pause = std::chrono::minutes{1};
/// Others may change what was written; then nothing is written again for a while.
constexpr std::uint32_t most_steps = 12;
/// The validity of a certificate begins before its making.
constexpr std::chrono::hours an_hour{1};
/// Authorities in a bundle, which others may have put into the configurations.
constexpr std::size_t most_trusted = 4;

/// The keys of the Secret's data; a Secret of the type kubernetes.io/tls has the last two.
using member_text = std::string& (*)(certificate_secret&);
constexpr std::array<std::pair<const char*, member_text>, 7> members{{
    {"ca.crt", [](certificate_secret& s) -> std::string& { return s.bundle; }},
    {"signer.crt", [](certificate_secret& s) -> std::string& { return s.signer.certificate; }},
    {"signer.key", [](certificate_secret& s) -> std::string& { return s.signer.key; }},
    {"next.crt", [](certificate_secret& s) -> std::string& { return s.next.certificate; }},
    {"next.key", [](certificate_secret& s) -> std::string& { return s.next.key; }},
    {"tls.crt", [](certificate_secret& s) -> std::string& { return s.certificate; }},
    {"tls.key", [](certificate_secret& s) -> std::string& { return s.key; }},
}};

wall_time renewal_of(const certificate_facts& c) { return c.from + (c.until - c.from) * 2 / 3; }

/// One whose time has not come counts as well: the clock of a replica may be wrong, and others need it.
bool is_of_use(std::string_view pem, wall_time now)
{
    const auto facts = read_certificate(pem);
    return facts && now < facts->until;
}

bool has(const std::string& bundle, std::string_view certificate)
{
    const auto all = split_certificates(bundle);
    return std::ranges::find(all, certificate) != all.end();
}

/// `first`, then those of the texts that have not expired, each once.
std::string bundle_of(const std::vector<std::string>& first, const std::vector<std::string>& texts, wall_time now)
{
    std::vector<std::string> all = first;
    for (const auto& text : texts)
        for (auto& c : split_certificates(text))
            if (all.size() < most_trusted && is_of_use(c, now) && std::ranges::find(all, c) == all.end())
                all.push_back(std::move(c));
    std::string out;
    for (const auto& c : all) out += c;
    return out;
}

/// Authorities that are trusted together have different names.
result<tls_authority> new_authority(wall_time now, std::chrono::hours life)
{
    auto token = random_token();
    if (!token) return token.error();
    constexpr std::size_t shown = 12;
    return tls_authority::generate(now, life, "kubecoro-webhooks-" + token->substr(0, shown));
}

} // namespace

std::map<std::string, std::string> certificate_secret::data() const
{
    std::map<std::string, std::string> out;
    auto copy = *this;
    for (const auto& [name, member] : members) out.emplace(name, member(copy));
    return out;
}

certificate_secret certificate_secret::read(const std::map<std::string, std::string>& data)
{
    certificate_secret out;
    for (const auto& [name, member] : members)
        if (const auto found = data.find(name); found != data.end()) member(out) = found->second;
    return out;
}

rotation_core::step rotation_core::begin()
{
    steps_ = 0;
    return read{};
}

rotation_core::step rotation_core::failed()
{
    auto pause = first_pause;
    for (std::uint32_t i = 0; i < failures_ && pause < longest_pause; ++i) pause *= 2;
    ++failures_;
    return wait{std::min(pause, longest_pause)};
}

rotation_core::step rotation_core::have_written(const result<>& done)
{
    // Another replica was first, or deleted what was to be changed.
    const bool late = !done && (done.error() == cond::conflict || done.error() == cond::already_exists ||
                                done.error() == cond::not_found);
    if ((done || late) && ++steps_ < most_steps) return read{};
    return failed();
}

void rotation_core::look_at(const certificate_secret& s)
{
    if (found_.of == s) return;
    found_ = {.of = s};
    const auto signer = read_certificate(s.signer.certificate), serving = read_certificate(s.certificate);
    if (signer) found_.signer = *signer;
    found_.signs = signer && is_key_of(s.signer.key, s.signer.certificate) && has(s.bundle, s.signer.certificate);
    found_.has_next = is_key_of(s.next.key, s.next.certificate) && has(s.bundle, s.next.certificate);
    found_.has_key = is_key_of(s.key, s.certificate);
    if (!serving) return;
    found_.serving = *serving;
    const auto named = [&](const auto& n) { return std::ranges::find(serving->names, n) != serving->names.end(); };
    found_.serves =
        found_.has_key && is_issued_by(s.certificate, s.signer.certificate) && std::ranges::all_of(rules_.names, named);
}

rotation_core::step rotation_core::have_read(const result<picture>& found, wall_time now)
{
    if (!found) return failed();
    if (found->stored) look_at(*found->stored);
    if (!found->stored || !found_.signs || now < found_.signer.from || now >= found_.signer.until)
        return fresh(*found, now);
    const auto& stored = found_.of;
    const bool published = std::ranges::all_of(found->bundles, [&](const auto& b) { return b == stored.bundle; });
    if (!published || published_ != stored.bundle) {
        published_ = published ? stored.bundle : std::string();
        published_since_ = now;
    }
    serve(published && now >= published_since_ + rules_.settling, now);
    if (!found_.has_next && now >= renewal_of(found_.signer)) {
        auto next = new_authority(now, rules_.authority_life);
        if (!next) return failed();
        auto content = stored;
        content.bundle = bundle_of({stored.signer.certificate, next->certificate}, {stored.bundle}, now);
        content.next = *std::move(next);
        return write{std::move(content), "a new authority, which is not in use yet"};
    }
    if (!published) return publish{stored.bundle};
    failures_ = 0;
    return settled(now);
}

rotation_core::step rotation_core::fresh(const picture& found, wall_time now)
{
    auto signer = new_authority(now, rules_.authority_life);
    if (!signer) return failed();
    certificate_secret content;
    // Other replicas may still show certificates of an authority that the configurations trust.
    content.bundle = bundle_of({signer->certificate}, found.bundles, now);
    content.signer = *std::move(signer);
    return issue(std::move(content), "an authority with a serving certificate", now);
}

rotation_core::step rotation_core::issue(certificate_secret content, std::string_view what, wall_time now) const
{
    const auto signer = read_certificate(content.signer.certificate);
    if (!signer) return wait{longest_pause};
    const auto left = std::chrono::floor<std::chrono::hours>(signer->until - now);
    tls_identity_options how{.names = rules_.names,
                             .server_name = rules_.names.empty() ? std::string("webhooks") : rules_.names.front(),
                             .now = now,
                             .valid_for = std::min(rules_.certificate_life, left),
                             .authority = content.signer};
    how.server_name.resize(std::min<std::size_t>(how.server_name.size(), 64)); // the most that a common name may have
    auto made = tls_identity::generate(how);
    if (!made) return wait{longest_pause};
    content.certificate = std::move(made->server_certificate);
    content.key = std::move(made->server_key);
    return write{std::move(content), what};
}

/// All configurations have the bundle.
rotation_core::step rotation_core::settled(wall_time now) const
{
    const auto& stored = found_.of;
    const auto until = [&](wall_time due) -> step {
        return wait{std::clamp<duration>(due - now, first_pause, rules_.look_again)};
    };
    if (!found_.serves || now >= found_.serving.until) return issue(stored, "a new serving certificate", now);
    const auto trusted = published_since_ + rules_.settling;
    if (found_.has_next) {
        if (now < trusted) return until(trusted);
        auto content = stored;
        content.signer = std::exchange(content.next, {});
        content.bundle = bundle_of({content.signer.certificate}, {stored.bundle}, now);
        return issue(std::move(content), "a serving certificate of the new authority", now);
    }
    if (now >= renewal_of(found_.serving)) return issue(stored, "a new serving certificate", now);
    auto due = renewal_of(found_.serving);
    if (serving_ != identity{stored.certificate, stored.key}) due = trusted;
    if (stored.bundle == stored.signer.certificate) return until(due);
    const auto drop = found_.serving.from + an_hour + rules_.overlap;
    if (now < drop) return until(std::min(due, drop));
    auto content = stored;
    content.bundle = stored.signer.certificate;
    return write{std::move(content), "a bundle without the old authority"};
}

void rotation_core::serve(bool trusted, wall_time now)
{
    if (serving_ && !trusted && now < serving_until_) return;
    if (!found_.has_key) return;
    serving_ = identity{found_.of.certificate, found_.of.key};
    serving_until_ = found_.serving.until;
}

} // namespace kubecoro::detail
