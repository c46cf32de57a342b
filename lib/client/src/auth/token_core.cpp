#include "auth/token_core.hpp"

namespace kubecoro::detail {

void token_core::loaded(std::string_view content, moment now)
{
    constexpr std::string_view blank = " \t\r\n";
    const auto first = content.find_first_not_of(blank);
    if (first == std::string_view::npos) return;
    content = content.substr(first, content.find_last_not_of(blank) - first + 1);
    read_ = now;
    token_ = content;
}

} // namespace kubecoro::detail
