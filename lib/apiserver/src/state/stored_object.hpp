// One object as the server keeps it: its JSON text, ready to send, and what selectors and rules ask for.
#pragma once

#include "state/registry.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {

struct stored_object
{
    /// "/namespace/name" or "/name": the order of lists is the order of these bytes.
    std::string key;
    std::string ns;
    std::string name;
    std::string uid;
    std::uint64_t version = 0;
    /// Complete JSON without a newline, beginning with the type prefix of the stored version.
    std::string text;
    /// Where the members after kind and apiVersion begin.
    std::size_t prefix = 0;
    /// Where the digits of resourceVersion begin in text, and how many there are; 0: there is none.
    std::size_t version_at = 0;
    std::size_t version_length = 0;
    bool deleting = false;
    /// Sorted by key.
    std::vector<std::pair<std::string, std::string>> labels;
    /// In the order of resource_info::selectable.
    std::vector<std::string> fields;
};

using stored = std::shared_ptr<const stored_object>;

/// "/ns/name", or "/name" without a namespace.
[[nodiscard]] std::string storage_key(std::string_view ns, std::string_view name);

/// Puts members into the order and shape the server answers with: empty metadata members vanish, maps are sorted.
void normalise(const resource_info& info, boost::json::value& body);

/// Encodes a normalised object. `version` 0 leaves resourceVersion out.
[[nodiscard]] stored make_stored(const resource_info& info, boost::json::value& body, std::uint64_t version);

/// The same content at another version.
[[nodiscard]] stored with_version(const stored& object, std::uint64_t version);

/// The object's JSON as a value, in the stored version.
[[nodiscard]] boost::json::value to_json(const stored_object& object);

/// Appends the object as a client of `version` sees it. Items of built-in lists come without kind and apiVersion.
void append_object(std::string& out, const resource_info& info, const stored_object& object, std::string_view version,
                   bool list_item = false);

} // namespace kubecoro::apiserver
