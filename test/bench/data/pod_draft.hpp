// A pod template in the making: what its parts share.
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

/// "@{name}" and "@{name7}": where text_template puts values.
[[nodiscard]] std::string place(std::string_view name);
[[nodiscard]] std::string place(std::string_view name, std::size_t k);

/// What is drawn for one template. Lives while it is built.
struct pod_draft
{
    const workload& work;
    const pod_shape& shape;
    seeded random;
    unsigned first_sidecar = 0;
    unsigned containers = 0;
    unsigned init_containers = 0;
    unsigned config_volumes = 0;
    /// Places for values of a pod's own that are used.
    std::size_t own = 0;
    /// Some container has limits.
    bool limited = false;

    pod_draft(const workload& of, const pod_shape& like, seeded source);

    [[nodiscard]] unsigned draw(pod_shape::range r);
    /// A text of that length, or a place for a value of the pod's own.
    [[nodiscard]] std::string text(std::size_t length);
    /// The application is the first container; the names of the others are those of well-known helpers.
    [[nodiscard]] std::string container_name(unsigned i) const;
    [[nodiscard]] std::string image_of(const std::string& container) const;
};

/// What the controller writes, which managedFields show.
[[nodiscard]] boost::json::object written_spec(pod_draft& d);
/// With what admission and the scheduler add: the token volume, its mounts, default tolerations, priority, node.
[[nodiscard]] boost::json::object admitted_spec(boost::json::object written);
/// What the kubelet writes; after the spec was drawn.
[[nodiscard]] boost::json::object written_status(const pod_draft& d);
/// With what the server adds.
[[nodiscard]] boost::json::object complete_status(const pod_draft& d, boost::json::object written);

} // namespace kubecoro::bench
