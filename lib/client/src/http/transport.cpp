#include <kubecoro/client/transport.hpp>

namespace kubecoro {

std::string_view answer_head::header(std::string_view name) const noexcept
{
    for (const auto& [key, value] : headers)
        if (key == name) return value;
    return {};
}

} // namespace kubecoro
