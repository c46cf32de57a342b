#include "website_webhooks.hpp"

#include "children.hpp"

#include <kubecoro/base/printable.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace kubecoro::website_operator {

namespace {

constexpr std::string_view index_page = "index.html";
constexpr std::string_view mark = "<!-- links to all pages -->\n";
/// A config map has a little more room, for its metadata.
constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_name = 253;

bool is_page_name(std::string_view name)
{
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !name.empty() && name.size() <= longest_name && name != "." && name != ".." &&
           std::ranges::all_of(name, fits);
}

void to_v1(const website_v1alpha1& from, website& to)
{
    to.spec.pages = from.spec.files;
    to.spec.replicas = from.spec.size;
}

void to_v1alpha1(const website& from, website_v1alpha1& to)
{
    to.spec.files = from.spec.pages;
    to.spec.size = from.spec.replicas;
}

/// Writes that leave the spec alone are left alone: a site that was stored before these rules can still be deleted.
bool concerns(const admission<website>& asked)
{
    return !asked.before || asked.before.untyped()["spec"] != asked.now.untyped()["spec"];
}

} // namespace

void add_index(website& site)
{
    auto& pages = site.spec.pages;
    const auto found = pages.find(std::string(index_page));
    if (pages.empty() || (found != pages.end() && !found->second.starts_with(mark))) return;
    std::string links(mark);
    for (const auto& [name, text] : pages)
        if (name != index_page && is_page_name(name)) links += "<a href=\"" + name + "\">" + name + "</a>\n";
    pages[std::string(index_page)] = std::move(links);
}

result<> check(const website& site)
{
    // A name that the server makes up is checked by the reconciler.
    if (site.metadata.name)
        if (const auto fine = check_name(*site.metadata.name); !fine) return fine;
    std::size_t bytes = 0;
    for (const auto& [name, text] : site.spec.pages) {
        bytes += name.size() + text.size();
        if (!is_page_name(name))
            return failure(cond::invalid, "spec.pages: " + printable(name, longest_name) +
                                              " is no file name: letters, digits, '-', '_' and '.'");
    }
    if (bytes > most_bytes) return failure(cond::invalid, "spec.pages: more than 1 MiB together");
    return {};
}

webhooks add_webhooks(manager& m, webhooks_options options)
{
    webhooks hooks(m, std::move(options));
    hooks
        .mutates<website>([](website& site, const admission<website>& asked) {
            if (concerns(asked)) add_index(site);
        })
        .validates<website>([](const website& site, const admission<website>& asked) {
            return concerns(asked) ? check(site) : result<>();
        })
        .converts<website_v1alpha1, website>(to_v1, to_v1alpha1);
    return hooks;
}

} // namespace kubecoro::website_operator
