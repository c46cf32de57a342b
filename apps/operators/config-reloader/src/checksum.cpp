#include "checksum.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kubecoro::config_reloader {

checksum::checksum() : digest_(EVP_MD_CTX_new(), &EVP_MD_CTX_free)
{
    if (!digest_) throw std::bad_alloc();
    if (EVP_DigestInit_ex(digest_.get(), EVP_sha256(), nullptr) != 1) throw std::runtime_error("SHA-256 unavailable");
}

// Every text is preceded by its length and every list by its size, so that different inputs never give the same bytes.

void checksum::add(const reference& of, const object& content)
{
    text(to_string(of.kind));
    text(of.name);
    number(content ? 1 : 0);
    if (!content) return;
    section(content["data"]);
    section(content["binaryData"]);
}

void checksum::section(value_view members)
{
    std::vector<member> sorted;
    for (const auto m : members.members()) sorted.push_back(m);
    std::stable_sort(sorted.begin(), sorted.end(), [](const member& a, const member& b) { return a.key < b.key; });
    number(sorted.size());
    for (const auto& m : sorted) {
        text(m.key);
        number(m.value.is_string() ? 1 : 0);
        if (m.value.is_string()) {
            text(m.value.as_string());
        } else {
            text(m.value.to_text()); // rejected by every server, but still distinct
        }
    }
}

void checksum::text(std::string_view bytes)
{
    number(bytes.size());
    EVP_DigestUpdate(digest_.get(), bytes.data(), bytes.size());
}

void checksum::number(std::uint64_t n)
{
    std::array<unsigned char, 8> bytes;
    for (auto& b : bytes) {
        b = static_cast<unsigned char>(n & 0xFF);
        n >>= 8;
    }
    EVP_DigestUpdate(digest_.get(), bytes.data(), bytes.size());
}

std::string checksum::finish()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    EVP_DigestFinal_ex(digest_.get(), bytes.data(), nullptr);
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < 16; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 0xF];
    }
    return out;
}

} // namespace kubecoro::config_reloader
