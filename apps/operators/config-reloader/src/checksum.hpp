// One short text for all that a workload's pods read: equal when and only when the contents are.
#pragma once

#include "references.hpp"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::config_reloader {

/** SHA-256 over kind, name and content of objects, added one after the other in the order of references_of(), so that no more
    than one content is in memory at a time.

    Depends on `data` and `binaryData` alone: neither on the order of their members nor on metadata. An object that is not
    there differs from an empty one. */
class checksum
{
public:
    /// Throws std::bad_alloc, or std::runtime_error when OpenSSL has no SHA-256.
    checksum();

    /// @param content  Null when there is no such object.
    void add(const reference& of, const object& content);
    /// The first half of the digest, 32 hexadecimal digits. Ends the use.
    [[nodiscard]] std::string finish();

private:
    void section(value_view members);
    void text(std::string_view bytes);
    void number(std::uint64_t n);

    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest_;
};

} // namespace kubecoro::config_reloader
