#include "text/runes.hpp"

namespace kubecoro::cel::detail {

namespace {

bool continues(std::string_view text, std::size_t at) noexcept
{
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

char32_t bits(std::string_view text, std::size_t at) noexcept { return static_cast<unsigned char>(text[at]) & 0x3f; }

} // namespace

bool is_rune(std::uint32_t point) noexcept { return point <= 0x10ffff && (point < 0xd800 || point > 0xdfff); }

rune first_rune(std::string_view text) noexcept
{
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return {first, 1};
    if (first >= 0xc2 && first < 0xe0 && continues(text, 1)) return {((first & 0x1fu) << 6) | bits(text, 1), 2};
    if (first >= 0xe0 && first < 0xf0 && continues(text, 1) && continues(text, 2)) {
        const char32_t point = ((first & 0xfu) << 12) | (bits(text, 1) << 6) | bits(text, 2);
        if (point >= 0x800 && is_rune(point)) return {point, 3};
    }
    if (first >= 0xf0 && first < 0xf5 && continues(text, 1) && continues(text, 2) && continues(text, 3)) {
        const char32_t point = ((first & 7u) << 18) | (bits(text, 1) << 12) | (bits(text, 2) << 6) | bits(text, 3);
        if (point >= 0x10000 && is_rune(point)) return {point, 4};
    }
    return {replacement_rune, 1};
}

std::size_t count_runes(std::string_view text) noexcept
{
    std::size_t count = 0;
    for (; !text.empty(); text.remove_prefix(first_rune(text).size)) ++count;
    return count;
}

std::vector<std::string_view> split_runes(std::string_view text)
{
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const auto size = first_rune(text).size;
        out.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return out;
}

std::size_t offset_of_rune(std::string_view text, std::size_t number) noexcept
{
    std::size_t at = 0;
    for (; number > 0 && at < text.size(); --number) at += first_rune(text.substr(at)).size;
    return at;
}

void append_rune(std::string& out, char32_t point)
{
    const auto byte = [&out](char32_t bits) { out += static_cast<char>(bits); };
    if (point < 0x80) return byte(point);
    if (point < 0x800) {
        byte(0xc0 | (point >> 6));
    } else {
        if (point < 0x10000) {
            byte(0xe0 | (point >> 12));
        } else {
            byte(0xf0 | (point >> 18));
            byte(0x80 | ((point >> 12) & 0x3f));
        }
        byte(0x80 | ((point >> 6) & 0x3f));
    }
    byte(0x80 | (point & 0x3f));
}

} // namespace kubecoro::cel::detail
