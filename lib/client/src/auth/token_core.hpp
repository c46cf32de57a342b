#pragma once
// When a token file is read, and which token is in force. Sans-io.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** A bearer token out of a file that is replaced from time to time.

    Re-read after 50 s, which is client-go's minute less its leeway. A read that fails keeps
    the token there is and is tried again with the next request. */
class token_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// @param initial  Used until the file has been read; may be empty.
    explicit token_core(std::string initial = {}) : token_(std::move(initial)) {}

    [[nodiscard]] bool stale(moment now) const noexcept { return !read_ || now - *read_ >= lifetime; }
    /// The content of the file. White space around it is dropped; an empty file counts as a failed read.
    /// @return whether the token in force is another one now.
    bool loaded(std::string_view content, moment now);
    [[nodiscard]] const std::string& token() const noexcept { return token_; }

private:
    static constexpr std::chrono::seconds lifetime{50};
    std::string token_;
    std::optional<moment> read_;
};

} // namespace kubecoro::detail
