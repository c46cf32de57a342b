// The objects that lead a server to webhooks: their configurations, the Service and the conversions of definitions. Sans-io.
#pragma once

#include "table/hook_names_core.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The address under which an API server reaches the webhooks.
struct hook_place
{
    /// The name of the configurations.
    std::string name;
    std::string service;
    std::string ns;
    /// The port of the program, to which the Service leads.
    std::uint16_t port = 9443;
    /// The program's name: the label of its pods.
    std::string app;
    /// In place of the Service; empty = that.
    std::string url = {};
};

[[nodiscard]] resource_type configuration_type(bool mutating);
[[nodiscard]] resource_type definition_type();

/// The name of the definition of a kind: "sites.example.com".
[[nodiscard]] std::string definition_name(const resource_type& type);

/// A webhook configuration with those of the hooks that mutate, or do not. @param bundle  PEM text; empty = none.
[[nodiscard]] boost::json::object configuration(bool mutating, const std::vector<hook_entry>& hooks,
                                                const hook_place& at, std::string_view bundle);
/// The Service, for the pods that have the program's name as their label app.kubernetes.io/name.
[[nodiscard]] boost::json::object service_of(const hook_place& at);
/// The member `spec.conversion` of a definition.
[[nodiscard]] boost::json::object conversion_of(const hook_place& at, std::string_view bundle);

/// The YAML of these objects. The patches of definitions are commands in comments: applied, they would remove the rest.
[[nodiscard]] std::string manifest_text(const std::vector<boost::json::object>& objects);

/** Brings a configuration that is stored to what is wanted: its webhooks of these names get the wanted members, and keep others
    such as match conditions; those that are missing are added; further ones stay.

    @param bundle_only  Only the authority is written, and nothing is added. */
void settle_configuration(boost::json::object& stored, const boost::json::object& wanted, bool bundle_only);
} // namespace kubecoro::detail
