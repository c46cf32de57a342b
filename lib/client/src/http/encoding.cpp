#include "http/encoding.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace kubecoro::detail {

std::string base64_encode(std::string_view bytes)
{
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(n));
    return out;
}

std::optional<std::string> base64_decode(std::string_view text)
{
    std::string clean;
    clean.reserve(text.size());
    std::copy_if(text.begin(), text.end(), std::back_inserter(clean), [](char c) { return c != '\n' && c != '\r'; });
    // OpenSSL skips blanks at the ends and accepts '=' anywhere: both are checked here.
    const auto padding =
        std::min<std::size_t>(2, clean.size() - std::min(clean.size(), clean.find_last_not_of('=') + 1));
    if (clean.size() % 4 != 0 || clean.find_first_of(" \t") != std::string::npos ||
        clean.find('=') < clean.size() - padding)
        return std::nullopt;
    std::string out(clean.size() / 4 * 3, '\0');
    const int n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                  reinterpret_cast<const unsigned char*>(clean.data()), static_cast<int>(clean.size()));
    if (n < 0) return std::nullopt;
    out.resize(static_cast<std::size_t>(n) - padding);
    return out;
}

} // namespace kubecoro::detail
