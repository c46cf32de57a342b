#include "auth/token_core.hpp"

namespace kubecoro::detail {

bool token_core::loaded(std::string_view content, moment now)
{
    constexpr std::string_view blank = " \t\r\n";
    const auto first = content.find_first_not_of(blank);
    if (first == std::string_view::npos) return false;
    content = content.substr(first, content.find_last_not_of(blank) - first + 1);
    read_ = now;
    token_ = content;
    problem_.clear();
    return true;
}

bool token_core::failed(const std::string& why, moment now)
{
    if (why == problem_ && now - told_ < told_again_after) return false;
    problem_ = why;
    told_ = now;
    return true;
}

} // namespace kubecoro::detail
