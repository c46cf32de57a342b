#include "informer/lane_source.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

bool inside_metadata(std::string_view path) noexcept
{
    constexpr std::string_view metadata = "metadata";
    if (!path.starts_with(metadata)) return false;
    return path.size() == metadata.size() || path[metadata.size()] == '.' || path[metadata.size()] == '[';
}

/// Adds the pruning for storage::metadata_only: other parts are not stored, whatever the server sends.
decode_options decode_for(const informer_options& o)
{
    decode_options decode = o.decode;
    if (o.storage.policy != storage::metadata_only) return decode;
    auto& keep = decode.prune.keep;
    if (keep.empty()) keep = {"metadata"};
    std::erase_if(keep, [](const std::string& path) { return !inside_metadata(path); });
    if (keep.empty()) keep = {"metadata.name"}; // always kept; nothing else was requested
    // Most of the metadata's size and rarely needed: kept only when named explicitly.
    decode.drop_managed_fields = std::none_of(
        keep.begin(), keep.end(), [](const std::string& path) { return path.starts_with("metadata.managedFields"); });
    return decode;
}

/// Returns why the server must not be queried at all, or an empty text.
std::string refusal(const informer_settings& s, const std::string& ns)
{
    // The server would return every object, and each would be skipped as one of another namespace.
    if (!s.resource.namespaced && !ns.empty())
        return s.resource.display_name() + " are cluster-scoped: leave informer_options::namespaces empty";
    if (s.resource.namespaced && ns.empty() && !s.options.name.empty())
        return s.resource.display_name() + " are namespaced: informer_options::name needs informer_options::namespaces";
    // An ignored selector would go unnoticed, and every shard would hold everything.
    if (!s.options.shard_selector.empty() && s.options.storage.policy == storage::metadata_only)
        return "a list of metadata only does not show whether informer_options::shard_selector was applied";
    return {};
}

class refused_source final : public list_watch_source
{
public:
    refused_source(std::string what, failure why) : what_(std::move(what)), why_(std::move(why)) {}

    asio::awaitable<result<list_page>> list(list_options) override { co_return why_; }
    asio::awaitable<result<std::unique_ptr<watch_stream>>> watch(watch_options) override { co_return why_; }
    [[nodiscard]] std::string describe() const override { return what_; }

private:
    std::string what_;
    failure why_;
};

std::shared_ptr<list_watch_source> refuse(const informer_settings& s, const std::string& ns, failure why)
{
    auto what = s.resource.display_name() + (ns.empty() ? "" : " in namespace " + ns);
    return std::make_shared<refused_source>(std::move(what), std::move(why));
}

} // namespace

std::shared_ptr<list_watch_source> open_source(const informer_settings& s, const std::string& ns,
                                               std::shared_ptr<object_encoding> encoding,
                                               std::shared_ptr<const known_objects> known)
{
    if (auto why = refusal(s, ns); !why.empty()) return refuse(s, ns, failure(cond::misconfigured, std::move(why)));
    const source_scope scope{.ns = ns,
                             .label_selector = s.options.label_selector,
                             .field_selector = s.options.field_selector,
                             .shard_selector = s.options.shard_selector,
                             .decode = decode_for(s.options),
                             .metadata_only = s.options.storage.policy == storage::metadata_only,
                             .encoding = std::move(encoding),
                             .known = std::move(known)};
    try {
        return s.provider->open(s.resource, scope);
    } catch (...) { // an added namespace is opened on the strand, which must not throw
        return refuse(s, ns, to_failure(std::current_exception()));
    }
}

} // namespace kubecoro::detail
