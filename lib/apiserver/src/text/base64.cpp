#include "text/base64.hpp"

#include <cstdint>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view url_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

} // namespace

std::size_t decoded_base64_size(std::string_view text)
{
    std::size_t held = 0;
    for (const char c : text) held += c != '=' && c != '\n' && c != '\r' ? 1 : 0;
    return held * 3 / 4;
}

std::size_t bad_base64_at(std::string_view text)
{
    std::size_t held = 0, padding = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\n' || c == '\r') continue;
        const bool pads = c == '=' && held % 4 >= 2 && held % 4 + padding < 4;
        if (pads)
            ++padding;
        else if (padding > 0 || digits.find(c) == std::string_view::npos)
            return i;
        else
            ++held;
    }
    const bool complete = (held + padding) % 4 == 0;
    return complete ? std::string_view::npos : text.size();
}

std::string encode_base64url(std::string_view bytes)
{
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) out += url_digits[(bits >> (held - 6)) & 63];
    }
    if (held > 0) out += url_digits[(bits << (6 - held)) & 63];
    return out;
}

std::size_t decode_base64url(std::string_view text, std::string& out)
{
    std::uint32_t bits = 0;
    int held = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digit = url_digits.find(text[i]);
        if (digit == std::string_view::npos) return i;
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out += static_cast<char>((bits >> held) & 255);
    }
    return text.size() % 4 == 1 ? text.size() - 1 : std::string_view::npos;
}

} // namespace kubecoro::apiserver
