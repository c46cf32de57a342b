#include "informer/consistency_core.hpp"

#include <utility>

namespace kubecoro::detail {
namespace {

/// Number of differences described in text; the others are counted.
constexpr std::size_t most_examples = 5;

} // namespace

consistency_core::consistency_core(const std::vector<kept_object>& stored, std::string version, bool contents,
                                   std::uint32_t page_size)
    : version_(std::move(version)), contents_(contents), page_size_(page_size)
{
    reserve(stored.size());
    for (const auto& o : stored) expect(o);
}

consistency_core::action consistency_core::start() const
{
    if (version_.empty() || version_ == "0") return verdict{outcome::skipped, "the list had no version"};
    list_options ask;
    ask.resource_version = version_;
    ask.match = version_match::exact;
    ask.limit = page_size_;
    return ask;
}

consistency_core::action consistency_core::on_page(const result<list_page>& page)
{
    if (!page) return verdict{outcome::skipped, page.error().describe()};
    if (token_.empty() && page->resource_version != version_)
        return verdict{outcome::skipped, "the server answered with version " + page->resource_version};
    for (const auto& o : page->items) compare(o);
    // Their stored states are older ones, as they have to be.
    for (const auto& o : page->left_out)
        if (const auto at = stored_.find(object_key_view(o.key)); at != stored_.end()) at->second = true;
    if (page->continue_token.empty()) return conclude();
    if (const char* const why = tokens_.endless(page->continue_token); why != nullptr)
        return verdict{outcome::skipped, why};
    token_ = page->continue_token;
    list_options ask;
    ask.limit = page_size_;
    ask.continue_token = token_;
    return ask;
}

void consistency_core::compare(const object& listed)
{
    const auto at = stored_.find(listed);
    if (at == stored_.end()) return differ("is not stored", listed.key());
    at->second = true;
    const object stored = at->first.get();
    if (stored.uid() != listed.uid()) return differ("is stored with another uid", listed.key());
    if (stored.resource_version() != listed.resource_version())
        return differ("is stored at another version", listed.key());
    if (contents_ && !(stored.root() == listed.root())) differ("is stored with another content", listed.key());
}

void consistency_core::differ(std::string_view what, object_key_view key)
{
    if (++differences_ > most_examples) return;
    if (!examples_.empty()) examples_ += "; ";
    examples_ += to_string(key) + " " + std::string(what);
}

consistency_core::verdict consistency_core::conclude()
{
    for (const auto& [o, listed] : stored_)
        if (!listed) differ("is stored and not listed", o.key());
    if (differences_ == 0) return {outcome::equal, {}};
    if (differences_ > most_examples) examples_ += "; and " + std::to_string(differences_ - most_examples) + " more";
    return {outcome::differs, examples_};
}

} // namespace kubecoro::detail
