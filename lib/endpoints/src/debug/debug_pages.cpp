#include <kubecoro/endpoints/debug_pages.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <mutex>

namespace kubecoro {
namespace {

constexpr std::size_t longest_name = 64;

bool is_name(std::string_view name)
{
    const auto permitted = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !name.empty() && name.size() <= longest_name && std::all_of(name.begin(), name.end(), permitted);
}

/// A page with the lock under which it is rendered and removed.
struct entry
{
    std::string name;
    debug_page page;
    std::mutex rendering = {};
    bool removed = false;
};

} // namespace

struct debug_pages::state
{
    std::mutex mutex;
    std::vector<std::shared_ptr<entry>> entries;

    std::shared_ptr<entry> find(std::string_view name)
    {
        std::lock_guard lock(mutex);
        const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e->name == name; });
        return at == entries.end() ? nullptr : *at;
    }

    /// @param failed  Makes a page of the message of an exception.
    std::optional<std::string> render(std::string_view name, const std::optional<std::string>& cluster,
                                      std::function<std::string()> debug_page::*form,
                                      std::string (*failed)(const char*))
    {
        const auto e = find(name);
        if (!e) return std::nullopt;
        std::lock_guard lock(e->rendering);
        if (e->removed || (cluster && !e->page.of_cluster)) return std::nullopt;
        try {
            return cluster ? (e->page.of_cluster(*cluster).*form)() : (e->page.*form)();
        } catch (const std::exception& error) {
            return failed(error.what());
        }
    }
};

debug_pages::debug_pages() : state_(std::make_shared<state>()) {}

result<> debug_pages::add(std::string name, debug_page page) const
{
    if (!is_name(name)) return failure{cond::invalid, "a debug page's name has lower-case letters, digits and - only"};
    if (!page.text || !page.json) return failure{cond::invalid, "the debug page " + name + " needs text and json"};
    auto made = std::make_shared<entry>();
    made->name = std::move(name);
    made->page = std::move(page);
    std::lock_guard lock(state_->mutex);
    for (const auto& e : state_->entries)
        if (e->name == made->name) return failure{cond::already_exists, "there is a debug page " + made->name};
    state_->entries.push_back(std::move(made));
    return {};
}

bool debug_pages::remove(std::string_view name) const
{
    const auto e = state_->find(name);
    if (!e) return false;
    {
        std::lock_guard lock(state_->mutex);
        std::erase(state_->entries, e);
    }
    std::lock_guard lock(e->rendering);
    return !std::exchange(e->removed, true);
}

std::vector<std::string> debug_pages::names() const
{
    std::vector<std::string> out;
    std::lock_guard lock(state_->mutex);
    for (const auto& e : state_->entries) out.push_back(e->name);
    return out;
}

std::optional<std::string> debug_pages::text(std::string_view name, const std::optional<std::string>& cluster) const
{
    return state_->render(name, cluster, &debug_page::text,
                          [](const char* what) { return "this page failed: " + std::string(what) + "\n"; });
}

std::optional<std::string> debug_pages::json(std::string_view name, const std::optional<std::string>& cluster) const
{
    return state_->render(name, cluster, &debug_page::json, [](const char* what) {
        return boost::json::serialize(boost::json::value{{"error", what}});
    });
}

} // namespace kubecoro
