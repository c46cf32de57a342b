#pragma once
// Decides which certificates and keys to use while their files are replaced. Sans-io.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// PEM texts. Empty = none.
struct tls_texts
{
    std::string ca = {};
    std::string certificate = {};
    std::string key = {};
    friend bool operator==(const tls_texts&, const tls_texts&) = default;
};

/// The content of the files at one moment. None: there is no such file, or it cannot be read.
struct tls_files
{
    std::optional<std::string> ca = {};
    std::optional<std::string> certificate = {};
    std::optional<std::string> key = {};
    /// Why files cannot be read; empty = all were read.
    std::string unreadable = {};
};

/** The certificates and keys in use. Files are replaced one after the other and may be seen half-written: the last
    complete authorities, and the last certificate and key that belong together, stay in use until there are others. */
class tls_files_core
{
public:
    /// @param pair  Names certificate and key in problems.
    explicit tls_files_core(tls_texts first, std::string pair = "client certificate and key")
        : current_(std::move(first)), pair_name_(std::move(pair))
    {
    }

    struct outcome
    {
        bool new_authorities = false;
        bool new_pair = false;
        /// Reasons why something is not used that is not already known.
        std::vector<std::string> problems = {};
    };
    /// Takes what the files hold now.
    [[nodiscard]] outcome on_read(const tls_files& now);
    /// Uses a certificate and key that do not come from files. @return whether they are others.
    bool use_pair(const std::string& certificate, const std::string& key);
    [[nodiscard]] const tls_texts& current() const noexcept { return current_; }

private:
    [[nodiscard]] bool take_authorities(const tls_files& now, std::string& problem);
    [[nodiscard]] bool take_pair(const tls_files& now, std::string& problem);

    tls_texts current_;
    std::string pair_name_;
    // Reported once each: the files are read often.
    std::string authority_problem_;
    std::string pair_problem_;
    std::string unreadable_;
};

} // namespace kubecoro::detail
