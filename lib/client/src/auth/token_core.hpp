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

inline bool token_core::loaded(std::string_view content, moment now)
{
    constexpr std::string_view blank = " \t\r\n";
    const auto first = content.find_first_not_of(blank);
    if (first == std::string_view::npos) return false;
    content = content.substr(first, content.find_last_not_of(blank) - first + 1);
    read_ = now;
    token_ = content;
    problem_.clear();
    return true;
}

inline bool token_core::failed(const std::string& why, moment now)
{
    if (why == problem_ && now - told_ < told_again_after) return false;
    problem_ = why;
    told_ = now;
    return true;
}

} // namespace kubecoro::detail
