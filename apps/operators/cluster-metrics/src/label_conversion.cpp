#include "label_conversion.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace kubecoro::cluster_metrics {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string snake_case(std::string_view name)
{
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        if (is_upper(c) && i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1]))) out += '_';
        out += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

bool is_shown(std::string_view name, const label_names& shown)
{
    return shown.front() == "*" || std::find(shown.begin(), shown.end(), name) != shown.end();
}

failure not_a_list(std::string_view text)
{
    return failure(cond::invalid, "the labels to be shown are \"" + printable(text, 100) +
                                      "\": expected RESOURCE=[LABEL,..],.. such as pods=[app,team],nodes=[*]");
}

std::vector<std::string> names_in(std::string_view list)
{
    std::vector<std::string> out;
    while (!list.empty()) {
        const auto name = list.substr(0, list.find(','));
        if (!name.empty()) out.emplace_back(name);
        list.remove_prefix(std::min(list.size(), name.size() + 1));
    }
    return out;
}

} // namespace

std::string sanitized(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        if (is_upper(c) || is_lower(c) || is_digit(c))
            out += c;
        else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) // not inside a character of UTF-8
            out += '_';
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> converted_labels(value_view labels, const label_names& shown)
{
    std::vector<std::pair<std::string_view, std::string_view>> sorted;
    for (const auto [name, value] : labels.members())
        if (is_shown(name, shown)) sorted.emplace_back(name, value.as_string());
    std::sort(sorted.begin(), sorted.end());

    struct seen
    {
        std::size_t first = 0;
        std::size_t count = 1;
    };
    std::map<std::string, seen> names;
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [name, value] : sorted) {
        auto converted = "label_" + snake_case(sanitized(name));
        const auto [at, is_new] = names.try_emplace(converted, seen{out.size()});
        if (!is_new) {
            auto& before = at->second;
            if (before.count == 1) out[before.first].first += "_conflict1";
            converted += "_conflict" + std::to_string(++before.count);
        }
        out.emplace_back(std::move(converted), value);
    }
    // A label may be called like the result of a conflict. Prometheus refuses a whole scrape for a name that stands twice.
    std::set<std::string_view> used;
    std::vector<std::pair<std::string, std::string>> unique;
    for (auto& label : out)
        if (!used.contains(label.first)) used.insert(unique.emplace_back(std::move(label)).first);
    return unique;
}

result<std::map<std::string, label_names>> parse_allowlist(std::string_view text)
{
    std::map<std::string, label_names> out;
    const auto whole = text;
    while (!text.empty()) {
        const auto opening = text.find("=[");
        const auto closing = text.find(']');
        if (opening == text.npos || opening == 0 || closing == text.npos || closing < opening) return not_a_list(whole);
        auto names = names_in(text.substr(opening + 2, closing - opening - 2));
        if (names.empty()) return not_a_list(whole);
        if (!out.emplace(text.substr(0, opening), std::move(names)).second) return not_a_list(whole);
        text.remove_prefix(closing + 1);
        if (text.empty()) break;
        if (!text.starts_with(',') || text.size() == 1) return not_a_list(whole);
        text.remove_prefix(1);
    }
    return out;
}

} // namespace kubecoro::cluster_metrics
