#include "text/go_text.hpp"
#include "values/go_values.hpp"
#include "values/refused.hpp"

#include <kubecoro/api/go_duration.hpp>

namespace kubecoro {

result<go_duration> go_duration::parse(std::string_view text)
{
    const auto nanos = detail::read_duration(text);
    if (!nanos) return detail::refused("a duration such as 1h30m", text);
    go_duration out(std::chrono::nanoseconds{*nanos});
    if (out.canonical() != text) out.written_ = std::make_shared<const std::string>(text);
    return out;
}

std::string go_duration::canonical() const { return detail::duration_text(length_.count()); }

} // namespace kubecoro
