#pragma once
// Which objects somebody was told of: 16 bytes an object.

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro {

/** A set of uids. Those of the usual form, UUIDs, are kept as the numbers they are; others as text. */
class uid_set
{
public:
    void insert(std::string_view uid)
    {
        if (const auto n = number(uid))
            numbers_.insert(*n);
        else
            texts_.emplace(uid);
    }
    /// @return whether it was there.
    bool erase(std::string_view uid)
    {
        if (const auto n = number(uid)) return numbers_.erase(*n) != 0;
        return texts_.erase(std::string(uid)) != 0;
    }
    [[nodiscard]] bool contains(std::string_view uid) const
    {
        if (const auto n = number(uid)) return numbers_.contains(*n);
        return texts_.contains(std::string(uid));
    }
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + texts_.size(); }

private:
    using uuid = std::array<std::uint64_t, 2>;
    struct hash
    {
        // The digits of a UUID are random, but for a few in the first half.
        std::size_t operator()(const uuid& u) const noexcept { return std::hash<std::uint64_t>{}(u[0] ^ u[1] * 31); }
    };

    /// 8-4-4-4-12 lower-case hexadecimal digits; nothing for every other form.
    static std::optional<uuid> number(std::string_view uid)
    {
        if (uid.size() != 36 || uid[8] != '-' || uid[13] != '-' || uid[18] != '-' || uid[23] != '-')
            return std::nullopt;
        std::array<char, 32> digits{};
        std::size_t n = 0;
        for (const char c : uid) {
            if (c == '-') continue;
            const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
            if (!digit || n == digits.size()) return std::nullopt;
            digits[n++] = c;
        }
        if (n != digits.size()) return std::nullopt;
        uuid out{};
        std::from_chars(digits.data(), digits.data() + 16, out[0], 16);
        std::from_chars(digits.data() + 16, digits.data() + 32, out[1], 16);
        return out;
    }

    boost::unordered_flat_set<uuid, hash> numbers_;
    boost::unordered_flat_set<std::string> texts_;
};

} // namespace kubecoro
