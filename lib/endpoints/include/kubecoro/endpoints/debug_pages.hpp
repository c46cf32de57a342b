#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/controller/controller_options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

struct collection_stats;

/// One page below /debug: a part of the program's state in two forms. Its functions must not block.
struct debug_page
{
    /// Lines for people.
    std::function<std::string()> text;
    /// The same as JSON text.
    std::function<std::string()> json;
    /// The part that is about one cluster, for `?cluster=NAME`. Empty = it is not divided by cluster.
    std::function<debug_page(std::string cluster)> of_cluster = {};
};

/** The pages below /debug. Pages are added and removed while the program runs.

    A cheap handle; copies refer to the same pages. Thread safe. A page is rendered by one caller at a time. */
class debug_pages
{
public:
    debug_pages();

    /// Adds a page. Errors: already_exists; invalid, when a function is missing or the name has other characters than
    /// lower-case letters, digits and `-`, or more than 64.
    result<> add(std::string name, debug_page page) const;
    /// Removes the page. Nothing of it runs any more when the call returns. Must not be called by the page itself.
    /// @return whether there was one.
    bool remove(std::string_view name) const;
    /// Names of the pages, in the order in which they were added.
    [[nodiscard]] std::vector<std::string> names() const;

    /// The page's text; empty when there is none of that name. An exception becomes a line of text.
    /// @param cluster  The part about that cluster only; a page that is not divided by cluster has none.
    [[nodiscard]] std::optional<std::string> text(std::string_view name,
                                                  const std::optional<std::string>& cluster = {}) const;
    /// The page's JSON; empty when there is none of that name. An exception becomes {"error": ...}. @param cluster  As above.
    [[nodiscard]] std::optional<std::string> json(std::string_view name,
                                                  const std::optional<std::string>& cluster = {}) const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/// Something of a program, and the cluster that it works in.
template<class T>
struct in_cluster
{
    /// The cluster's name; empty = the program's own.
    std::string cluster = {};
    /// The thing itself.
    T value;
};

/// The longest text or JSON of one of the pages below, in bytes. Beyond it the last line, or a last element {"left_out": N}, says
/// how many elements are not shown.
inline constexpr std::size_t most_debug_page_bytes = std::size_t{512} * 1024;

/// Informers: state, objects, bytes, lists and watches, handlers. Usually added as "informers".
[[nodiscard]] debug_page informers_page(std::function<std::vector<shared_informer<object>>()> informers);
/// The same for all informers of a factory, which must outlive the page.
[[nodiscard]] debug_page informers_page(const informer_factory& informers);
/// The same for those of several clusters: each line begins with its cluster, each JSON object has the member "cluster", and
/// `?cluster=NAME` shows those of one cluster.
[[nodiscard]] debug_page informers_page(std::function<std::vector<in_cluster<shared_informer<object>>>()> informers);
/// Controllers: phase, runs, sources. Usually added as "controllers".
[[nodiscard]] debug_page controllers_page(std::function<std::vector<controller_stats>()> controllers);
/// The same for those of several clusters.
[[nodiscard]] debug_page controllers_page(std::function<std::vector<in_cluster<controller_stats>>()> controllers);
/// Work queues: keys by state, the longest running ones by name. Usually added as "queues".
[[nodiscard]] debug_page queues_page(std::function<std::vector<workqueue_stats>()> queues);
/// The same for those of several clusters.
[[nodiscard]] debug_page queues_page(std::function<std::vector<in_cluster<workqueue_stats>>()> queues);
/// Derived collections: inputs, elements, computations. Usually added as "collections", of live_queries::stats().
[[nodiscard]] debug_page collections_page(std::function<std::vector<collection_stats>()> collections);
/// Running coroutines by name, as task_group::names() gives them. Usually added as "tasks".
[[nodiscard]] debug_page tasks_page(std::function<std::vector<std::string>()> tasks);
/// Settings as names and values. Values of names that contain "token", "password", "secret", "credential" or "key" are
/// withheld. Usually added as "config".
[[nodiscard]] debug_page config_page(std::function<std::vector<std::pair<std::string, std::string>>()> settings);

} // namespace kubecoro
