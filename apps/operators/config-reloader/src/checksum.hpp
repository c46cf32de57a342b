// A checksum over everything that a workload's pods read: equal if and only if the contents are equal.
#pragma once

#include "references.hpp"

#include <kubecoro/api/object.hpp>

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::config_reloader {

/** SHA-256 over kind, name and content of objects, added one after the other in the order of references_of(), so
    that at most one content is in memory at a time.

    Reads the objects untyped: contents of both kinds count as the texts that the server sends, secrets undecoded.
    Depends only on `data` and `binaryData`, not on the order of their members or on metadata. A missing object
    differs from an empty one. */
class checksum
{
public:
    /// Throws std::bad_alloc, or std::runtime_error when OpenSSL has no SHA-256.
    checksum();

    /// @param content  Null when the object does not exist.
    void add(const reference& of, const object& content);
    /// The first half of the digest, 32 hexadecimal digits. The object must not be used afterwards.
    [[nodiscard]] std::string finish();

private:
    void section(value_view members);
    void text(std::string_view bytes);
    void number(std::uint64_t n);

    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest_;
};

} // namespace kubecoro::config_reloader
