#pragma once
// Decides when to read a token file, and which token is current. Sans-io.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** A bearer token from a file that is replaced periodically.

    Re-read after 50 s, which is client-go's minute less its leeway. After a failed read the current token stays, and
    the next request tries again: each reason is reported once, and again after five minutes. */
class token_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// @param initial  Used until the file has been read; may be empty.
    explicit token_core(std::string initial = {}) : token_(std::move(initial)) {}

    [[nodiscard]] bool stale(moment now) const noexcept { return !read_ || now - *read_ >= lifetime; }
    /// Takes the content of the file. Surrounding white space is dropped. @return false for an empty file, which counts
    /// as a failed read.
    [[nodiscard]] bool loaded(std::string_view content, moment now);
    /// A read has failed. @return whether that is to be reported.
    [[nodiscard]] bool failed(const std::string& why, moment now);
    [[nodiscard]] const std::string& token() const noexcept { return token_; }

private:
    static constexpr std::chrono::seconds lifetime{50};
    static constexpr std::chrono::minutes told_again_after{5};

    std::string token_;
    std::optional<moment> read_;
    /// Why the last read has failed; empty = it has not.
    std::string problem_;
    moment told_{};
};

} // namespace kubecoro::detail
