// Brings a website's objects to what it says, and its status to what they say.
#pragma once

#include "children.hpp"

#include <kubecoro/cache/lister.hpp>
#include <kubecoro/controller/reconciler.hpp>
#include <kubecoro/manager/manager.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

namespace kubecoro::website_operator {

/// The config map of each namespace that lists its websites: name and URL. It has no owner, since it belongs to all of
/// them; a finalizer takes a website out of it.
inline constexpr std::string_view catalogue = "websites";
inline constexpr std::string_view finalizer = "web.kubecoro.dev/catalogue";

struct website_options
{
    /// Websites processed concurrently.
    std::size_t workers = 4;
    /// Time limit for one run.
    duration deadline = std::chrono::minutes{1};
};

class website_reconciler
{
public:
    /// @param m  Outlives the reconciler. Declares what it reads.
    explicit website_reconciler(manager& m);

    [[nodiscard]] boost::asio::awaitable<result<action>> reconcile(const typed_object<website>& site,
                                                                   reconcile_context& context) const;
    /// Before the website goes; its children go with their owner.
    [[nodiscard]] boost::asio::awaitable<result<action>> clean_up(const typed_object<website>& site) const;

private:
    template<class T>
    [[nodiscard]] boost::asio::awaitable<result<>> bring(const typed_object<website>& site, const website& wanted,
                                                         const lister<T>& known, std::string name) const;
    [[nodiscard]] boost::asio::awaitable<result<>> bring_all(const typed_object<website>& site,
                                                             const website& wanted) const;
    [[nodiscard]] boost::asio::awaitable<result<>> list_in_catalogue(const typed_object<website>& site) const;
    [[nodiscard]] boost::asio::awaitable<result<>> report(const typed_object<website>& site, readiness now) const;

    manager* m_;
    client cluster_;
    lister<core_v1::config_map> pages_;
    lister<apps_v1::deployment> deployments_;
    lister<core_v1::service> services_;
};

/// Adds the controller of websites, and declares its rights.
void add_websites(manager& m, const website_options& options = {});

} // namespace kubecoro::website_operator
