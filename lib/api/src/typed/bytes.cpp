#include <kubecoro/api/bytes.hpp>

#include "text/go_text.hpp"
#include "values/go_values.hpp"

namespace kubecoro {

result<bytes> bytes::from_base64(std::string_view text)
{
    bytes out;
    if (!detail::append_decoded_base64(out.data, text)) return failure(cond::invalid, "not base64");
    return out;
}

std::string bytes::base64() const
{
    std::string out;
    detail::append_base64(out, data);
    return out;
}

} // namespace kubecoro
