// Performs the steps of rotation_core: reads and writes the Secret, the configurations and the definitions.
#pragma once

#include "certificates/rotation_core.hpp"
#include "manifests/manifests_core.hpp"
#include "table/hook_table.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::detail {

class certificate_keeper
{
public:
    struct settings
    {
        rotation_rules rules;
        hook_place place;
        /// The name of the Secret, in the namespace of the place.
        std::string secret;
        /// Whether configurations and conversions are created and brought to what is wanted; else only their bundles.
        bool install = true;
        client cluster;
        std::shared_ptr<time_source> time;
        logger log;
        /// Called with each certificate to show.
        std::function<void(const rotation_core::identity&)> serve;
    };
    /// @param table  Must outlive it.
    certificate_keeper(settings with, const hook_table& table);

    /// Runs until it is cancelled; failures are logged and tried again.
    [[nodiscard]] boost::asio::awaitable<result<>> run();

private:
    /// Waits that long, or until the Secret is another one than was read last.
    [[nodiscard]] boost::asio::awaitable<result<>> wait(duration length);
    [[nodiscard]] boost::asio::awaitable<rotation_core::step> perform(rotation_core::step next);
    [[nodiscard]] boost::asio::awaitable<result<rotation_core::picture>> read();
    [[nodiscard]] boost::asio::awaitable<result<>> store(certificate_secret content);
    [[nodiscard]] boost::asio::awaitable<result<>> publish(std::string bundle);
    /// Adds a bundle to the picture: the wanted one if all is as it is wanted. @param has  That of what is stored.
    static void note(const object& stored, std::string has,
                     const std::function<void(boost::json::object&, const std::string&)>& settle,
                     rotation_core::picture& out);
    void settle_definition(boost::json::object& definition, const std::string& bundle) const;
    [[nodiscard]] bool has_hooks(bool mutating) const;

    const settings with_;
    const hook_table& table_;
    rotation_core core_;
    /// As it was read last; null = there is none.
    object secret_;
    std::string last_problem_;
};

} // namespace kubecoro::detail
