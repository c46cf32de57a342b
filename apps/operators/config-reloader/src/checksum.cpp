#include "checksum.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

namespace kubecoro::config_reloader {

namespace detail {

sha256::sha256() : state_(EVP_MD_CTX_new(), &EVP_MD_CTX_free)
{
    if (!state_) throw std::bad_alloc();
    if (EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) throw std::runtime_error("SHA-256 unavailable");
}

void sha256::text(std::string_view text)
{
    number(text.size());
    bytes(text.data(), text.size());
}

void sha256::number(std::uint64_t n)
{
    std::array<unsigned char, 8> little_endian;
    for (auto& b : little_endian) {
        b = static_cast<unsigned char>(n & 0xFF);
        n >>= 8;
    }
    bytes(little_endian.data(), little_endian.size());
}

void sha256::bytes(const void* data, std::size_t size) { EVP_DigestUpdate(state_.get(), data, size); }

std::array<unsigned char, 32> sha256::finish()
{
    std::array<unsigned char, 32> out{};
    EVP_DigestFinal_ex(state_.get(), out.data(), nullptr);
    return out;
}

} // namespace detail

namespace {

/// Preceded by the number of members, like every list.
void add_section(detail::sha256& hash, value_view members)
{
    std::vector<member> sorted;
    for (const auto m : members.members()) sorted.push_back(m);
    std::stable_sort(sorted.begin(), sorted.end(), [](const member& a, const member& b) { return a.key < b.key; });
    hash.number(sorted.size());
    for (const auto& m : sorted) {
        hash.text(m.key);
        hash.number(m.value.is_string() ? 1 : 0);
        if (m.value.is_string()) {
            hash.text(m.value.as_string());
        } else {
            hash.text(m.value.to_text()); // rejected by every server, but still distinct
        }
    }
}

} // namespace

content_digest digest_of(const object& content)
{
    detail::sha256 hash;
    hash.number(content ? 1 : 0);
    if (content) {
        add_section(hash, content["data"]);
        add_section(hash, content["binaryData"]);
    }
    return hash.finish();
}

void checksum::add(const reference& of, const content_digest& content)
{
    hash_.text(to_string(of.kind));
    hash_.text(of.name);
    hash_.bytes(content.data(), content.size());
}

std::string checksum::finish()
{
    const auto bytes = hash_.finish();
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < 16; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 0xF];
    }
    return out;
}

} // namespace kubecoro::config_reloader
