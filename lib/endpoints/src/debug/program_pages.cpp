#include "debug/stats_json.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/endpoints/debug_pages.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace json = boost::json;

namespace kubecoro {
namespace {

/// Each line made safe for a terminal: descriptions hold names that tenants choose.
std::string printable_lines(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        out += printable(line) + "\n";
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return out;
}

/// A page that shows each element of a list.
template<class List, class Text, class Json>
debug_page page_of(std::function<List()> list, Text text, Json to_json)
{
    return {.text =
                [list, text] {
                    std::string out;
                    for (const auto& one : list()) out += printable_lines(text(one));
                    return out;
                },
            .json =
                [list, to_json] {
                    json::array out;
                    for (const auto& one : list()) out.push_back(to_json(one));
                    return json::serialize(out);
                }};
}

bool names_secret(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::array words{"token", "password", "secret", "credential", "key"};
    return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.find(w) != name.npos; });
}

using setting = std::pair<std::string, std::string>;

std::string shown_value(const setting& s) { return names_secret(s.first) ? "(withheld)" : s.second; }

} // namespace

debug_page informers_page(std::function<std::vector<shared_informer<object>>()> informers)
{
    return page_of(
        std::move(informers), [](const shared_informer<object>& i) { return i.describe(); },
        [](const shared_informer<object>& i) { return detail::to_json(i.resource(), i.stats()); });
}

debug_page informers_page(const informer_factory& informers)
{
    return informers_page([&informers] { return informers.informers(); });
}

debug_page controllers_page(std::function<std::vector<controller_stats>()> controllers)
{
    return page_of(
        std::move(controllers),
        [](const controller_stats& s) { return "controller " + s.queue.name + ": " + describe(s); },
        [](const controller_stats& s) { return detail::to_json(s); });
}

debug_page queues_page(std::function<std::vector<workqueue_stats>()> queues)
{
    return page_of(
        std::move(queues), [](const workqueue_stats& s) { return describe(s); },
        [](const workqueue_stats& s) { return detail::to_json(s); });
}

debug_page tasks_page(std::function<std::vector<std::string>()> tasks)
{
    return page_of(
        std::move(tasks), [](const std::string& name) { return name; },
        [](const std::string& name) { return json::value(name); });
}

debug_page config_page(std::function<std::vector<setting>()> settings)
{
    return {.text =
                [settings] {
                    std::string out;
                    for (const setting& s : settings()) out += printable(s.first + ": " + shown_value(s)) + "\n";
                    return out;
                },
            .json =
                [settings] {
                    json::object out;
                    for (const setting& s : settings()) out[s.first] = shown_value(s);
                    return json::serialize(out);
                }};
}

} // namespace kubecoro
