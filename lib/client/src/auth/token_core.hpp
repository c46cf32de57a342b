#pragma once
// Decides when to read a token file, and which token is current. Sans-io.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** A bearer token from a file that is replaced periodically.

    Re-read after 50 s, which is client-go's minute less its leeway. After a failed read the current token stays, and
    the next request tries again. */
class token_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// @param initial  Used until the file has been read; may be empty.
    explicit token_core(std::string initial = {}) : token_(std::move(initial)) {}

    [[nodiscard]] bool stale(moment now) const noexcept { return !read_ || now - *read_ >= lifetime; }
    /// Takes the content of the file. Surrounding white space is dropped; an empty file counts as a failed read.
    void loaded(std::string_view content, moment now);
    [[nodiscard]] const std::string& token() const noexcept { return token_; }

private:
    static constexpr std::chrono::seconds lifetime{50};
    std::string token_;
    std::optional<moment> read_;
};

} // namespace kubecoro::detail
