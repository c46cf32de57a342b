// Makes random changes through the API, from a seed.
#pragma once

#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kubecoro::e2e {

/** Creates, patches, replaces and deletes objects with a few names, so that names are reused.

    Conflicts and objects that already exist or no longer exist are expected. */
class churn
{
public:
    churn(client api, std::uint64_t seed, std::vector<resource_type> types, std::vector<std::string> namespaces);

    /// Performs `operations` operations. Stops at the first unexpected failure and returns it.
    [[nodiscard]] boost::asio::awaitable<result<>> run(std::size_t operations);

    /// Number of successful operations, by verb.
    [[nodiscard]] const std::map<std::string, std::size_t>& done() const noexcept { return done_; }
    [[nodiscard]] std::size_t changes() const noexcept;

private:
    [[nodiscard]] boost::asio::awaitable<result<>> step();
    [[nodiscard]] boost::asio::awaitable<result<object>> replace(resource_type type, std::string ns, std::string name);
    [[nodiscard]] std::size_t below(std::size_t n)
    {
        return static_cast<std::size_t>(detail::next_unit(random_) * static_cast<double>(n));
    }
    [[nodiscard]] std::string value();

    client api_;
    detail::random_source random_;
    std::vector<resource_type> types_;
    std::vector<std::string> namespaces_;
    std::map<std::string, std::size_t> done_;
};

/// Returns a minimal object of a kind that the cases write: Pod, ConfigMap, Widget. `more` is appended to its metadata.
[[nodiscard]] std::string manifest(const resource_type& type, const std::string& name, const std::string& value = "1",
                                   const std::string& more = {});

} // namespace kubecoro::e2e
