#pragma once
// Random actions of users on contents and on the workloads that read them.

#include "journal.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/core_v1/pod_template_spec.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace kubecoro::simulation {

/// Config maps and secrets, then the three kinds of workloads.
[[nodiscard]] const std::vector<resource_type>& reloader_resources();
inline constexpr std::size_t content_resources = 2;
/// The template of pods, which all kinds of workloads have in the same place.
[[nodiscard]] inline view<core_v1::pod_template_spec> template_of(const object& workload)
{
    return view<core_v1::pod_template_spec>(workload["spec"]["template"]);
}

/** Changes the server directly, without transport and faults. A few names in two namespaces and few different contents,
    so that earlier states often recur. */
class users
{
public:
    users(apiserver::embedded_server& server, journal& notes, std::uint64_t seed);

    /// Await it once, first.
    boost::asio::awaitable<result<>> prepare();
    boost::asio::awaitable<result<>> one();

private:
    [[nodiscard]] std::string content_name();
    [[nodiscard]] std::string content_members();
    [[nodiscard]] std::string container();
    [[nodiscard]] std::string path(const resource_type& resource, const std::string& name = {}) const;

    boost::asio::awaitable<void> change_content(std::string name);
    boost::asio::awaitable<void> make_workload(const resource_type& kind, std::string name);
    boost::asio::awaitable<void> change_workload(const resource_type& kind, std::string name);
    boost::asio::awaitable<void> set_back(const resource_type& kind, std::string name);
    boost::asio::awaitable<result<std::string>> execute(std::string method, std::string at, std::string body = {});

    apiserver::embedded_server* server_;
    journal* notes_;
    detail::random_source random_;
    std::string ns_;
};

} // namespace kubecoro::simulation
