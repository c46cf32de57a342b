// Posts reviews to webhooks at a fixed rate, and takes the time of each.
#pragma once

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::bench::hooks {

struct load_options
{
    std::uint16_t port = 0;
    /// PEM text of the authority.
    std::string authority = {};
    /// Connections, each with one review at a time, as a kube-apiserver keeps them.
    std::size_t connections = 8;
};

struct load_result
{
    std::size_t reviews = 0;
    /// From the moment at which a review was due until its answer had arrived; sorted.
    std::vector<double> microseconds = {};

    /// @param share  0.99: what 99 of 100 reviews did not exceed.
    [[nodiscard]] double percentile(double share) const;
};

/// Connections to one server.
class load
{
public:
    /// Errors: unreachable.
    [[nodiscard]] static result<load> connect(const load_options& options);
    ~load();
    load(load&&) noexcept;
    load& operator=(load&&) = delete;

    /// Posts for that long. A review that is due while all connections are busy waits. Keeps a core busy, so that no timer adds to
    /// the times. Errors: unreachable; corrupt for an answer that does not allow the review.
    [[nodiscard]] result<load_result> post(const std::string& path, std::size_t per_second, std::chrono::seconds time);

private:
    struct state;
    explicit load(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

/// The review of a pod's creation, about 5 KB, as a kube-apiserver posts it.
[[nodiscard]] std::string review_of_pod();

} // namespace kubecoro::bench::hooks
