#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::codegen {

/// The type of a value that has no fields of its own.
enum class scalar : std::uint8_t
{
    string,
    /// base64 in JSON.
    bytes,
    boolean,
    int32,
    int64,
    number,
    quantity,
    int_or_string,
    /// RFC 3339 with whole seconds.
    time,
    /// RFC 3339 with six digits of fraction.
    micro_time,
    /// Such as "1h0m0s".
    duration,
    /// Any JSON.
    json
};

/// The type of a field: a scalar or a message, or a list or map of a type.
struct value_shape
{
    /// Tells the other members that count.
    enum class form : std::uint8_t
    {
        scalar,
        message,
        list,
        /// With text keys.
        map
    };
    /// Which of them it is.
    form kind = form::scalar;
    /// For form::scalar.
    codegen::scalar scalar = codegen::scalar::json;
    /// The full name, for form::message.
    std::string message = {};
    /// The type of the items or values, for lists and maps: exactly one.
    std::vector<value_shape> of = {};
    /// The values that the schema allows: texts of scalar::string, literals of the scalars that are numbers. Empty if
    /// it allows any.
    std::vector<std::string> values = {};

    friend bool operator==(const value_shape&, const value_shape&) = default;
};

/// A member of a message.
struct field
{
    /// In JSON.
    std::string name;
    /// The type of its values.
    value_shape type;
    /// Absent differs from zero.
    bool optional = false;
    /// The source's own words; empty for built-in kinds.
    std::string description = {};
    /// The source demands that it is there; unknown, and so false, for built-in kinds.
    bool required = false;

    friend bool operator==(const field&, const field&) = default;
};

/// A JSON object with known fields.
struct message
{
    /// Unique: "io.k8s.api.core.v1.PodSpec". The last three parts are group, version and name.
    std::string name;
    /// Empty for built-in kinds.
    std::string description = {};
    /// In the order of the source.
    std::vector<field> fields = {};
    /// The property whose own schema it is; empty for a schema with a name, such as that of a kind.
    std::string property = {};

    friend bool operator==(const message&, const message&) = default;
};

/// A kind of objects that have a path of their own.
struct kind
{
    /// Empty for the core group.
    std::string group;
    /// Such as "v1".
    std::string version;
    /// Such as "Pod".
    std::string name;
    /// Such as "pods".
    std::string plural;
    /// Whether objects belong to namespaces.
    bool namespaced = true;
    /// The name of its message.
    std::string message;
    /// Its CustomResourceDefinition with this version alone, without name and status; null for other sources.
    boost::json::value definition = nullptr;

    friend bool operator==(const kind&, const kind&) = default;
};

/// Kinds and their messages, from any source.
struct model
{
    /// Names the source in the banner of generated files: "Kubernetes 1.37.2", "crd.yaml".
    std::string source;
    /// The kinds, in the order of the source.
    std::vector<codegen::kind> kinds = {};
    /// By full name.
    std::map<std::string, codegen::message> messages = {};
};

} // namespace kubecoro::codegen
