// The shared state while a pod template is built.
#pragma once

#include "pod_template.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kubecoro::bench {

inline constexpr std::array<std::string_view, 24> subjects{
    "account",  "audit",  "basket",  "billing",  "catalog", "chat",     "checkout", "customer",
    "delivery", "feed",   "gateway", "identity", "invoice", "ledger",   "mailing",  "metrics",
    "orders",   "photos", "pricing", "ranking",  "search",  "sessions", "shipping", "stock"};
inline constexpr std::array<std::string_view, 16> roles{
    "api",     "worker", "frontend", "cache",    "consumer", "exporter", "importer", "indexer",
    "planner", "proxy",  "reader",   "renderer", "router",   "scorer",   "store",    "writer"};

/// "@{name}" and "@{name7}": the placeholders of text_template.
[[nodiscard]] std::string place(std::string_view name);
[[nodiscard]] std::string place(std::string_view name, std::size_t k);

/// The random choices for one template. Lives while it is built.
struct pod_draft
{
    const workload& work;
    const pod_shape& shape;
    seeded random;
    unsigned first_sidecar = 0;
    unsigned containers = 0;
    unsigned init_containers = 0;
    unsigned config_volumes = 0;
    /// The number of placeholders for per-pod values in use.
    std::size_t own = 0;
    /// Whether some container has limits.
    bool limited = false;

    pod_draft(const workload& of, const pod_shape& like, seeded source);

    [[nodiscard]] unsigned draw(pod_shape::range r);
    /// A text of that length, or a placeholder for a per-pod value.
    [[nodiscard]] std::string text(std::size_t length);
    /// The first container is the application; the others have names of well-known helpers.
    [[nodiscard]] std::string container_name(unsigned i) const;
    [[nodiscard]] std::string image_of(const std::string& container) const;
};

/// The pod as the controller writes it, which managedFields show.
[[nodiscard]] boost::json::object written_spec(pod_draft& d);
/// Plus the additions of admission and scheduler: the token volume, its mounts, default tolerations, priority, node.
[[nodiscard]] boost::json::object admitted_spec(boost::json::object written);
/// The part that the kubelet writes. Call after the spec was drawn.
[[nodiscard]] boost::json::object written_status(const pod_draft& d);
/// Plus the additions of the server.
[[nodiscard]] boost::json::object complete_status(const pod_draft& d, boost::json::object written);

} // namespace kubecoro::bench
