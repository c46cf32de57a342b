#pragma once

#include "informer/consistency_core.hpp"
#include "informer/informer_settings.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/cache/stats.hpp>

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kubecoro::detail {

/** Lists the content of the store again at the same version and reports differences. Never changes the store.

    Used on the informer's strand, except stats(). One check at a time, only the newest of each namespace. */
class consistency_checker
{
public:
    /// @param encoding  Written on this strand alone; null when nothing is checked.
    consistency_checker(const informer_settings& s, std::shared_ptr<object_encoding> encoding);

    /// Requests a check; call when a list was stored and nothing after it. @param stored  The whole namespace.
    void ask(const std::string& ns, std::string version, std::vector<kept_object> stored);
    /// Runs requested checks until cancelled, whatever throws.
    [[nodiscard]] boost::asio::awaitable<result<>> run();
    /// Callable from any thread.
    [[nodiscard]] informer_stats::consistency_checks stats() const;

private:
    struct job
    {
        std::string version;
        std::vector<kept_object> stored;
    };
    [[nodiscard]] boost::asio::awaitable<consistency_core::verdict> check(std::shared_ptr<list_watch_source> source,
                                                                          job j);
    void conclude(const std::string& source, const std::string& version, const consistency_core::verdict& v);

    const informer_settings& settings_;
    std::shared_ptr<object_encoding> encoding_;
    std::map<std::string, job> asked_;
    wake_signal signal_;
    mutable std::mutex mutex_;
    informer_stats::consistency_checks stats_;
};

} // namespace kubecoro::detail
