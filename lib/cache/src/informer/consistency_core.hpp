#pragma once
// Compares a store with the server by one list at the exact version.

#include "fifo/key_set.hpp"
#include "store/erase_some.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/continue_tokens.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/** Compares the content of a store with a list of the same version: keys, uids, versions and bodies.

    Sans-io. Compares page by page, so that only one page is held beside the handles of the stored objects. */
class consistency_core
{
public:
    enum class outcome
    {
        equal,
        differs,
        /// The server no longer has that version, or did not answer: no result.
        skipped
    };
    struct verdict
    {
        outcome what = outcome::equal;
        /// Description of the first differences, or why the check was skipped.
        std::string why = {};
    };
    /// The next page to request, to be answered with on_page(), or the result.
    using action = std::variant<list_options, verdict>;

    /// @param stored    The content of the store right after its list of this version was applied.
    /// @param contents  Compare bodies, too; false for objects changed by a transform.
    consistency_core(const std::vector<kept_object>& stored, std::string version, bool contents = true,
                     std::uint32_t page_size = 500);

    /// Adds stored objects, for a caller that adds some at a time.
    void reserve(std::size_t objects) { stored_.reserve(objects); }
    void expect(const kept_object& o) { stored_.emplace(o, false); }
    /// Frees the stored objects in steps, when there is a verdict; see erase_some().
    [[nodiscard]] bool drop_some(std::size_t& most) noexcept { return erase_some(stored_, next_, most); }

    [[nodiscard]] action start() const;
    [[nodiscard]] action on_page(const result<list_page>& page);

private:
    void compare(const object& listed);
    void differ(std::string_view what, object_key_view key);
    [[nodiscard]] verdict conclude();

    std::string version_;
    bool contents_;
    std::uint32_t page_size_;
    /// Stored objects, and whether the list included them.
    kept_map<bool> stored_;
    std::optional<kept_map<bool>::iterator> next_;
    std::string token_;
    continue_tokens tokens_;
    std::size_t differences_ = 0;
    std::string examples_;
};

} // namespace kubecoro::detail
