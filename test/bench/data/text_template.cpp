#include "text_template.hpp"

#include <algorithm>
#include <stdexcept>

namespace kubecoro::bench {
namespace {

constexpr std::string_view opening = "@{";

std::size_t index_of(std::string_view name, std::span<const std::string_view> names)
{
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw std::logic_error("unknown placeholder " + std::string(name));
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace

text_template::text_template(std::string_view text, std::span<const std::string_view> names)
{
    for (std::size_t at = text.find(opening); at != std::string_view::npos; at = text.find(opening)) {
        const std::size_t end = text.find('}', at);
        std::string_view name = text.substr(at + opening.size(), end - at - opening.size());
        const bool bare = name.starts_with('#');
        if (bare) name.remove_prefix(1);
        pieces_.push_back({std::string(text.substr(0, bare ? at - 1 : at)), index_of(name, names)});
        text.remove_prefix(bare ? end + 2 : end + 1);
    }
    rest_ = text;
}

void text_template::render(std::string& out, std::span<const std::string> values) const
{
    for (const piece& p : pieces_) {
        out += p.literal;
        out += values[p.value];
    }
    out += rest_;
}

} // namespace kubecoro::bench
