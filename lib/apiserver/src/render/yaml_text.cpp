#include "render/yaml_text.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/yaml.hpp>

namespace kubecoro::apiserver {
namespace {

json::value sorted(std::string_view text)
{
    auto v = parse_trusted(text);
    sort_deep(v);
    return v;
}

/// Appends nothing if there are no members: `{}` may stand only where a whole object does.
void append_members(std::string& out, const json::object& members)
{
    if (!members.empty()) out += to_yaml(members);
}

} // namespace

std::string yaml_object(std::string_view json) { return to_yaml(sorted(json)); }

yaml_list::yaml_list(std::string_view json, std::string_view items) : items_(items)
{
    auto all = sorted(json);
    for (auto& [key, value] : all.get_object())
        if (key != items) (std::string_view(key) < items ? before_ : after_)[key] = std::move(value);
}

void yaml_list::append_head(std::string& out) const
{
    append_members(out, before_);
    out += items_ + ":";
}

void yaml_list::append_item(std::string& out, std::string_view json)
{
    if (empty_) out += '\n';
    empty_ = false;
    out += to_yaml(json::array{sorted(json)});
}

void yaml_list::append_tail(std::string& out) const
{
    if (empty_) out += " []\n";
    append_members(out, after_);
}

} // namespace kubecoro::apiserver
