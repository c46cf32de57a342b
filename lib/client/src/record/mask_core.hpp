// Words in place of the values of Secrets and of tokens. Sans-io.
#pragma once

#include <kubecoro/base/hash.hpp>

#include <string>
#include <string_view>

namespace kubecoro::detail {

class secret_mask
{
public:
    /// @param key  A random key that is never written. Without it, values cannot be guessed and compared.
    explicit secret_mask(hash_secrets key) : key_(key) {}

    /// Whether requests with this target, or their answers, may have such values.
    [[nodiscard]] static bool covers(std::string_view target);

    /** A JSON text of such a request or answer with words in place of values: in `data` and `stringData` at any depth, also in the
        annotation last-applied-configuration, in values of JSON patches, and in `token`. The word says that the text was withheld
        if it is no JSON.

        Equal values become equal words, whether they are in base64 or not. */
    [[nodiscard]] std::string masked(std::string_view text) const;

private:
    hash_secrets key_;
};

} // namespace kubecoro::detail
