#pragma once

#include <kubecoro/api/detail/struct_type.hpp>
#include <kubecoro/api/field_rule.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/json/value.hpp>

#include <concepts>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// A column of `kubectl get`.
struct printer_column
{
    /// The heading.
    std::string name;
    /// Where the value is: ".spec.host".
    std::string json_path;
    /// "string", "integer", "number", "boolean" or "date"; of a date its age is shown.
    std::string type = "string";
    /// Shown by clients that explain columns.
    std::string description = {};
    /// Columns above 0 are shown by `kubectl get -o wide` only.
    int priority = 0;
};

/// The paths of the numbers that the scale subresource reads and writes. `kubectl scale` and autoscalers use it.
struct scale_paths
{
    /// The wanted number, below `.spec`.
    std::string wanted = ".spec.replicas";
    /// The number that there is, below `.status`.
    std::string present = ".status.replicas";
    /// A text that selects the pods, below `.spec` or `.status`; autoscalers of pods need it. Empty: none.
    std::string selector = {};
};

/// How one version of a kind is served.
struct crd_version_options
{
    /// Describes the kind; `kubectl explain` shows it.
    std::string description = {};
    /// Whether status is written apart from the rest. None: if the struct has a member `status`.
    std::optional<bool> status_subresource = {};
    /// Offers the scale subresource. None: not.
    std::optional<scale_paths> scale = {};
    /// Beside the name. Empty: the server shows the age.
    std::vector<printer_column> columns = {};
    /// Whether the server offers the version; one that is not served may still be stored.
    bool served = true;
    /// Sent to clients that use the version, which makes it deprecated. Empty: it is not.
    std::string deprecation_warning = {};
};

namespace detail {

/// A version of a kind: version_of makes it.
struct crd_version
{
    /// The kind, and the name of the version.
    resource_type resource;
    /// The struct.
    const struct_type* type = nullptr;
    /// How it is served.
    crd_version_options options = {};
    /// The definition that a generated struct was made from, with this version alone. Empty: the struct is the source.
    boost::json::object source = {};
};

} // namespace detail

/// The names of a kind, and its versions.
struct crd_options
{
    /// Empty: that of the resource, else the kind in small letters.
    std::string singular = {};
    /// Empty: the kind and "List".
    std::string list_kind = {};
    /// Empty: those of the resource.
    std::vector<std::string> short_names = {};
    /// Groups of kinds that `kubectl get` lists together, such as "all".
    std::vector<std::string> categories = {};
    /// The labels of the definition.
    std::map<std::string, std::string> labels = {};
    /// The annotations of the definition.
    std::map<std::string, std::string> annotations = {};
    /// The version of the struct itself, in which objects are stored.
    crd_version_options version = {};
    /// The other ones, by version_of: `{version_of<T>()}`.
    std::vector<detail::crd_version> other_versions = {};
    /// How the server turns one version into another, as `spec.conversion`. Empty: only apiVersion changes.
    boost::json::object conversion = {};
};

namespace detail {

/// A struct that stands for a kind.
template<class T>
concept kind_struct = known_struct<T> && requires {
    {
        T::resource()
    } -> std::same_as<resource_type>;
};

/// A struct that was generated from a definition, whose JSON these texts are together.
template<class T>
concept defined_struct = requires {
    {
        definition_text_of(static_cast<const T*>(nullptr))
    } -> std::same_as<std::span<const std::string_view>>;
};

/// Reads the texts, which are the library's own.
[[nodiscard]] boost::json::object parse_definition(std::span<const std::string_view> parts);

/// The definition; the first version is the one that is stored.
[[nodiscard]] result<boost::json::object> definition_of(const crd_version& stored, const crd_options& options);
/// The same as YAML.
[[nodiscard]] result<std::string> crd_yaml(const crd_version& stored, const crd_options& options);

} // namespace detail

/// Returns the version of a kind that the struct describes, for crd_options::other_versions.
template<detail::kind_struct T>
[[nodiscard]] detail::crd_version version_of(crd_version_options options = {})
{
    detail::crd_version out{T::resource(), &detail::struct_of<T>(), std::move(options)};
    if constexpr (detail::defined_struct<T>)
        out.source = detail::parse_definition(definition_text_of(static_cast<const T*>(nullptr)));
    return out;
}

/** Returns the CustomResourceDefinition of a kind, so that an operator owns its API in code: names, scope, and for each
    version the schema that the struct describes.

        auto definition = definition_of<T>({.short_names = {"st"},
                                            .version = {.columns = {{.name = "Host", .json_path = ".spec.host"}}}});

    A field is required if the struct always writes it: numbers, booleans, quantities, times, durations and
    int_or_string that are not std::optional, unless a rule gives them a default. Text, lists, maps and parts are not:
    the struct leaves them out when they are empty, and a server that requires them would refuse what the program
    writes. field_rule::required decides otherwise.

    A struct that `kubecoro generate` made from a definition gives that definition, with the versions that are asked
    for: schema, names, columns and subresources are as they were, where the options do not say otherwise.

    Errors: cond::invalid with the kind and the path, for a struct that contains itself (structural schemas cannot), a
    rule that names no field or does not suit its type, paths of scale that lead to no number, versions of different
    kinds or with one name. */
template<detail::kind_struct T>
[[nodiscard]] result<boost::json::object> definition_of(const crd_options& options = {})
{
    return detail::definition_of(version_of<T>(options.version), options);
}

/// Returns the same as YAML for `kubectl apply`, with definition_of's errors.
template<detail::kind_struct T>
[[nodiscard]] result<std::string> crd_yaml(const crd_options& options = {})
{
    return detail::crd_yaml(version_of<T>(options.version), options);
}

} // namespace kubecoro
