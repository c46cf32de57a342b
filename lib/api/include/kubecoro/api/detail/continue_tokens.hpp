// The continue tokens of a list that is read in pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Notices a list without an end: its pages would be requested without a pause, and kept without a bound.

    A token is compared with the one before it, and with an earlier one that changes at powers of two (Brent's
    algorithm): pages that repeat are noticed after at most three times as many, whatever they contain. */
class continue_tokens
{
public:
    /// Ten million objects in pages of the default size; a longer list counts as endless.
    static constexpr std::uint32_t most = 20'000;

    /// Takes the next token of the list, which is not empty. @return why the list has no end; null if it may have one.
    [[nodiscard]] const char* endless(std::string_view token)
    {
        if (token == last_ || token == earlier_) return "the server returned a continue token for the second time";
        if (++count_ > most) return "the list has too many pages";
        last_ = token;
        if (count_ == renewed_at_) {
            earlier_ = token;
            renewed_at_ *= 2;
        }
        return nullptr;
    }

private:
    std::string last_;
    std::string earlier_;
    std::uint32_t count_ = 0;
    std::uint32_t renewed_at_ = 1;
};

} // namespace kubecoro::detail
