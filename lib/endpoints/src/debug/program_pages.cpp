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

/// Each line begins with the cluster that it is about.
template<class Text>
auto by_cluster(Text text)
{
    return [text](const auto& one) {
        const std::string all = text(one.value);
        if (one.cluster.empty()) return all;
        std::string out;
        for (std::size_t at = 0; at < all.size();) {
            const auto end = std::min(all.find('\n', at), all.size());
            out += "cluster " + one.cluster + ": " + all.substr(at, end - at) + "\n";
            at = end + 1;
        }
        return out;
    };
}

/// With the member "cluster".
template<class Json>
auto with_cluster(Json to_json)
{
    return [to_json](const auto& one) {
        json::object out = to_json(one.value);
        out["cluster"] = printable(one.cluster);
        return out;
    };
}

std::string text_of_informer(const shared_informer<object>& i) { return i.describe(); }
json::object json_of_informer(const shared_informer<object>& i) { return detail::to_json(i.resource(), i.stats()); }
std::string text_of_controller(const controller_stats& s) { return "controller " + s.queue.name + ": " + describe(s); }
json::object json_of_controller(const controller_stats& s) { return detail::to_json(s); }
std::string text_of_queue(const workqueue_stats& s) { return describe(s); }
json::object json_of_queue(const workqueue_stats& s) { return detail::to_json(s); }

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
    return page_of(std::move(informers), text_of_informer, json_of_informer);
}

debug_page informers_page(std::function<std::vector<in_cluster<shared_informer<object>>>()> informers)
{
    return page_of(std::move(informers), by_cluster(text_of_informer), with_cluster(json_of_informer));
}

debug_page informers_page(const informer_factory& informers)
{
    return informers_page([&informers] { return informers.informers(); });
}

debug_page controllers_page(std::function<std::vector<controller_stats>()> controllers)
{
    return page_of(std::move(controllers), text_of_controller, json_of_controller);
}

debug_page controllers_page(std::function<std::vector<in_cluster<controller_stats>>()> controllers)
{
    return page_of(std::move(controllers), by_cluster(text_of_controller), with_cluster(json_of_controller));
}

debug_page queues_page(std::function<std::vector<workqueue_stats>()> queues)
{
    return page_of(std::move(queues), text_of_queue, json_of_queue);
}

debug_page queues_page(std::function<std::vector<in_cluster<workqueue_stats>>()> queues)
{
    return page_of(std::move(queues), by_cluster(text_of_queue), with_cluster(json_of_queue));
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
