#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/** Adds to the schema of a field, or of a struct, what the C++ type does not say. A described struct returns its rules:

        struct site_spec
        {
            std::string host;
            int replicas = 1;
            static std::vector<kubecoro::field_rule> field_rules()
            {
                return {{.field = "host", .required = true, .pattern = "^[a-z.]+$"},
                        {.field = "replicas", .default_value = 1, .minimum = 1, .maximum = 10}};
            }
        };

    A rule that does not suit the type of its field, such as a pattern of a number, is a failure of definition_of. */
struct field_rule
{
    /// The field's name in JSON. With "[]" behind it the rule is for the items of a list or the values of a map:
    /// "hosts[]". Empty: the rule is for the struct as a whole.
    std::string field = {};
    /// Shown by `kubectl explain`.
    std::string description = {};
    /// Whether the server refuses objects without the field. None: as definition_of decides by its type.
    std::optional<bool> required = {};
    /// The server fills it in where the field is missing. Null: none.
    boost::json::value default_value = nullptr;
    /// Whether null is a value of the field; the server drops other nulls.
    bool nullable = false;
    /// The values that the field may have. Empty: any.
    std::vector<boost::json::value> one_of = {};
    /// The least number, included. Null: no bound.
    boost::json::value minimum = nullptr;
    /// The greatest number, included. Null: no bound.
    boost::json::value maximum = nullptr;
    /// The least length of a text, in characters. None: no bound.
    std::optional<std::uint32_t> min_length = {};
    /// The greatest length of a text, in characters. None: no bound.
    std::optional<std::uint32_t> max_length = {};
    /// A regular expression that a text matches somewhere; `^` and `$` for all of it. Empty: any text.
    std::string pattern = {};
    /// The format of a text, such as "uuid" or "ipv4". Empty: that of the type.
    std::string format = {};
    /// The least number of items of a list, or of values of a map. None: no bound.
    std::optional<std::uint32_t> min_items = {};
    /// The greatest number of them. None: no bound.
    std::optional<std::uint32_t> max_items = {};
    /// How server-side apply merges a list: "atomic", "set" or "map". Empty: atomic.
    std::string list_type = {};
    /// The fields that identify the items of a list of type "map"; they become required unless they have a default.
    std::vector<std::string> list_map_keys = {};
    /// Further members of the schema, written as they are, such as `x-kubernetes-validations`.
    boost::json::object more = {};
};

} // namespace kubecoro
