#include "validation/findings.hpp"

#include <array>
#include <utility>

namespace kubecoro {

namespace detail {

void findings::add(field_error e)
{
    any_ = true;
    if (is_full()) return;
    std::string key = e.reason + '\0' + e.field + '\0' + e.detail;
    const auto size = key.size() + e.bad_value.size();
    if (!seen_.insert(std::move(key)).second) return;
    bytes_ += size;
    errors_.push_back(std::move(e));
}

void findings::add(findings&& others)
{
    any_ = any_ || others.any_;
    for (auto& e : others.errors_) add(std::move(e));
}

} // namespace detail

std::string field_error::message() const
{
    using entry = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<entry, 9> words{entry{"FieldValueForbidden", "Forbidden"},
                                                entry{detail::required_reason, "Required value"},
                                                entry{detail::unsupported_reason, "Unsupported value"},
                                                entry{detail::duplicate_reason, "Duplicate value"},
                                                entry{detail::long_reason, "Too long"},
                                                entry{detail::many_reason, "Too many"},
                                                entry{detail::internal_reason, "Internal error"},
                                                entry{detail::type_reason, "Invalid value"},
                                                entry{detail::invalid_reason, "Invalid value"}};
    std::string out = "Invalid value";
    for (const auto& [name, word] : words)
        if (name == reason) out = word;
    if (!bad_value.empty()) out += ": " + bad_value;
    if (!detail.empty()) out += ": " + detail;
    return out;
}

} // namespace kubecoro
