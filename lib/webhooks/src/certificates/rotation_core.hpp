// Decides which authority and which serving certificate the replicas of a program have, and when they change. Sans-io.
#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/certificates/certificates.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// The content of the Secret that all replicas read.
struct certificate_secret
{
    /// The authorities that servers are to trust, as PEM text: that of the serving certificate first.
    std::string bundle = {};
    /// It signs serving certificates.
    tls_authority signer = {};
    /// It will sign them when all configurations have the bundle; empty = none.
    tls_authority next = {};
    std::string certificate = {};
    std::string key = {};

    /// By the keys of the Secret's data.
    [[nodiscard]] std::map<std::string, std::string> data() const;
    [[nodiscard]] static certificate_secret read(const std::map<std::string, std::string>& data);
    friend bool operator==(const certificate_secret&, const certificate_secret&) = default;
};

struct rotation_rules
{
    /// DNS names of the serving certificate.
    std::vector<std::string> names = {};
    /// Each is replaced after two thirds of its life.
    std::chrono::hours authority_life{24 * 365 * 5};
    std::chrono::hours certificate_life{24 * 90};
    /// From the moment at which all configurations have a bundle until a new authority signs: servers read configurations with a
    /// delay.
    std::chrono::seconds settling{300};
    /// How long an old authority stays in the bundle after its last certificate was replaced.
    std::chrono::hours overlap{24};
    /// How often the Secret and the configurations are looked at.
    std::chrono::seconds look_again{60};
};

/** One replica. Each function returns the next step to perform, whose outcome is the argument of the next call.

    The Secret's resource version makes all replicas agree: the first write counts, and the others read again. A new authority
    is trusted everywhere before it signs, and an old one until no replica can have a certificate of it. */
class rotation_core
{
public:
    /// Read the Secret and the configurations; then have_read().
    struct read
    {
    };
    /// Write the Secret, if it is as it was read; then have_written().
    struct write
    {
        certificate_secret content;
        /// For the log: "a new serving certificate".
        std::string_view what;
    };
    /// Write the bundle into the configurations; then have_written().
    struct publish
    {
        std::string bundle;
    };
    /// Wait; then begin() again.
    struct wait
    {
        duration length;
    };
    using step = std::variant<read, write, publish, wait>;

    struct picture
    {
        /// Empty if the Secret does not exist.
        std::optional<certificate_secret> stored;
        /// The bundles of all webhooks and conversions that are there, as PEM texts.
        std::vector<std::string> bundles;
    };

    explicit rotation_core(rotation_rules rules) : rules_(std::move(rules)) {}

    [[nodiscard]] step begin();
    [[nodiscard]] step have_read(const result<picture>& found, wall_time now);
    [[nodiscard]] step have_written(const result<>& done);

    /// A certificate and its key.
    struct identity
    {
        std::string certificate;
        std::string key;
        friend bool operator==(const identity&, const identity&) = default;
    };
    /// The one to show to clients; nothing until there is one. A certificate stays until all servers trust the next one.
    [[nodiscard]] const std::optional<identity>& serving() const noexcept { return serving_; }

private:
    [[nodiscard]] step failed();
    [[nodiscard]] step fresh(const picture& found, wall_time now);
    [[nodiscard]] step settled(wall_time now) const;
    [[nodiscard]] step issue(certificate_secret content, std::string_view what, wall_time now) const;
    /// The findings about a Secret, made once for each content.
    struct findings
    {
        certificate_secret of = {};
        /// The signer and its key belong together, and are in the bundle. Else nothing can go on.
        bool signs = false;
        bool has_next = false;
        /// The serving certificate is whole, of the signer, and has the names.
        bool serves = false;
        bool has_key = false;
        certificate_facts signer = {};
        certificate_facts serving = {};
    };
    void look_at(const certificate_secret& stored);
    /// @param trusted  All servers have the bundle by now.
    void serve(bool trusted, wall_time now);

    rotation_rules rules_;
    findings found_;
    std::optional<identity> serving_;
    wall_time serving_until_ = {};
    /// Since when all configurations have this bundle.
    std::string published_;
    wall_time published_since_ = {};
    std::uint32_t failures_ = 0;
    /// Steps since the last wait.
    std::uint32_t steps_ = 0;
};

} // namespace kubecoro::detail
