// Lists: which objects a request selects, which page of them it asks for, and that page.
#pragma once

#include "objects/label_match.hpp"
#include "request/target.hpp"
#include "state/conversions.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

/// Matches label and field selectors against stored objects.
class selection
{
public:
    /// @param version  That of the request. Errors: 400 with kube-apiserver's wording.
    [[nodiscard]] static answer<selection> parse(const resource_info& info, std::string_view version,
                                                 std::string_view labels, std::string_view fields);

    [[nodiscard]] bool everything() const noexcept { return labels_.everything() && fields_.empty(); }
    [[nodiscard]] bool uses_fields() const noexcept { return !fields_.empty(); }
    /// @param object  In the version of the request.
    [[nodiscard]] bool matches(const resource_info& info, const stored_object& object) const;

private:
    /// All requirements for one field: clients choose how many there are.
    struct field_rule
    {
        std::optional<std::string> equal = {};
        /// Sorted.
        std::vector<std::string> not_equal = {};
        /// Two values are required.
        bool impossible = false;

        [[nodiscard]] bool takes(std::string_view value) const;
    };

    label_match labels_;
    /// By path.
    std::map<std::string, field_rule> fields_;
};

/// The query options of a list or watch, with the checks of kube-apiserver.
struct list_query
{
    std::string label_selector = {};
    std::string field_selector = {};
    /// As sent; "" when unset.
    std::string version = {};
    /// "", "Exact", "NotOlderThan".
    std::string match = {};
    std::int64_t limit = 0;
    std::string continue_token = {};
    bool bookmarks = false;
    std::optional<bool> send_initial_events = {};
    std::int64_t timeout_seconds = 0;
};

/// Reads an integer; nothing if there is no such parameter. Errors: 400.
[[nodiscard]] answer<std::optional<std::int64_t>> int_parameter(const parsed_target& target, std::string_view key);

/// Errors: 400 and 422.
[[nodiscard]] answer<list_query> read_list_query(const parsed_target& target, bool watch);

/// Parses a decimal version. Errors have Go's wording; the caller adds the code.
[[nodiscard]] boost::system::result<std::uint64_t, detail::problem_words> parse_version(std::string_view text);

/// The contents of a continue token: the version of the list (-1: the newest) and the first key of the next page.
struct continue_point
{
    std::int64_t version = 0;
    /// Relative to the namespace (or the root), beginning with '/'.
    std::string start = {};
};

[[nodiscard]] std::string encode_continue(const continue_point& p);
/// Errors: 400.
[[nodiscard]] answer<continue_point> decode_continue(std::string_view token);

/// One page of a list at one version.
struct list_page
{
    std::vector<stored> items;
    std::uint64_t version = 0;
    std::string continue_token;
    std::optional<std::size_t> remaining;
};

/** The page in a version of its resource, in which objects are selected too. Errors: 400 (invalid version or token), 410 (too
    old), 500 (not converted), 504 (version in the future); a code of 0: a webhook has to be asked. */
[[nodiscard]] answer<list_page> make_page(const resource_store& store, std::string_view ns, const list_query& query,
                                          const selection& selected, const version_converter& versions,
                                          std::string_view version);

} // namespace kubecoro::apiserver
