#pragma once
// The resources of kinds as discovery found them, until a request shows that there is no such resource, and whether the
// body of a write may be protobuf. Sans-io.

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/clock.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/// Not thread safe.
class kept_kinds_core
{
public:
    /// Minimum time between discoveries of a kind whose resource is missing, so that a loop does not load the server.
    static constexpr std::chrono::seconds reread_interval{10};

    /// The resource of a kind; nothing: discovery has to find it. When several callers ask for a missing one, the first is
    /// to find it, and the others get the one from before.
    [[nodiscard]] std::optional<resource_type> known(const std::string& kind, time_point now);
    void keep(const std::string& kind, const resource_type& found, time_point now);
    /// Discovery does not have the kind.
    void forget(const std::string& kind) { kinds_.erase(kind); }
    /// The server has nothing at this path: a definition may have been made again with another plural or scope.
    void on_missing(std::string_view target);

private:
    struct entry
    {
        resource_type type;
        /// When discovery was asked for it.
        time_point read_at;
        bool missing = false;
    };
    std::map<std::string, entry> kinds_;
};

/// The kind of a body that may be protobuf.
struct body_kind
{
    /// "pods v1" or "pods/scale v1": for logs, and to remember refusals.
    std::string name;
    /// Null: the kind that the body says.
    const schema_kind* schema = nullptr;
};

/** The kind of the object that a create or update sends; nothing if it is to be JSON: by choice, for kinds without a
    schema, and if the server is asked to check field names, which it does only in JSON. */
[[nodiscard]] std::optional<body_kind> protobuf_body_kind(wire_form chosen, const resource_type& resource,
                                                          std::string_view subresource, field_validation validation);

} // namespace kubecoro::detail
