// A checksum over everything that a workload's pods read: equal if and only if the contents are equal.
#pragma once

#include "references.hpp"

#include <kubecoro/api/object.hpp>

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::config_reloader {

namespace detail {

/// A hash of texts and numbers. Every text is preceded by its length, so that different inputs never give the same bytes.
class sha256
{
public:
    sha256();
    void text(std::string_view bytes);
    void number(std::uint64_t n);
    void bytes(const void* data, std::size_t size);
    /// Must be the last call.
    [[nodiscard]] std::array<unsigned char, 32> finish();

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_;
};

} // namespace detail

/// SHA-256.
using content_digest = std::array<unsigned char, 32>;

/** The digest of an object's `data` and `binaryData`.

    Reads the object untyped: contents of both kinds count as the texts that the server sends, secrets undecoded.
    Does not depend on the order of their members or on metadata. A missing object differs from an empty one.
    Throws std::bad_alloc, or std::runtime_error when OpenSSL has no SHA-256.
    @param content  Null when the object does not exist. */
[[nodiscard]] content_digest digest_of(const object& content);

/** SHA-256 over kind, name and content digest of objects, added one after the other in the order of references_of(): no
    content need be in memory. */
class checksum
{
public:
    void add(const reference& of, const content_digest& content);
    /// The first half of the digest, 32 hexadecimal digits. The object must not be used afterwards.
    [[nodiscard]] std::string finish();

private:
    detail::sha256 hash_;
};

} // namespace kubecoro::config_reloader
