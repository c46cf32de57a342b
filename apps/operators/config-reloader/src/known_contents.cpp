#include "known_contents.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kubecoro::config_reloader {

const known_content* find_content(const known_content_list& contents, const reference& of,
                                  std::string_view version) noexcept
{
    const auto before = [](const known_content& a, const reference& b) {
        return std::tie(a.of.kind, a.of.name) < std::tie(b.kind, b.name);
    };
    const auto at = std::lower_bound(contents.begin(), contents.end(), of, before);
    if (at == contents.end() || at->of.kind != of.kind || at->of.name != of.name) return nullptr;
    return at->version == version ? &*at : nullptr;
}

std::shared_ptr<const known_content_list> known_contents::of(object_key_view key, std::string_view sum) const
{
    const auto at = workloads_.find(key);
    if (at == workloads_.end() || at->second.sum != sum) return nullptr;
    return at->second.contents;
}

void known_contents::note(object_key_view key, std::string_view sum, known_content_list contents)
{
    memory now{std::string(sum), std::make_shared<const known_content_list>(std::move(contents))};
    workloads_.insert_or_assign(object_key(key), std::move(now));
}

void known_contents::forget(object_key_view key)
{
    if (const auto at = workloads_.find(key); at != workloads_.end()) workloads_.erase(at);
}

} // namespace kubecoro::config_reloader
