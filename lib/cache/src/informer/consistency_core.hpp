#pragma once
// Is what is stored what the server has? One list at the exact version answers it.

#include "fifo/key_set.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/** Compares the content of a store with a list of the same version: keys, uids, versions and bodies.

    Sans-io. Page by page, so that no more than one page is held beside the handles of what is stored. */
class consistency_core
{
public:
    enum class outcome
    {
        equal,
        differs,
        /// The server no longer has that version, or did not answer: nothing is known.
        skipped
    };
    struct verdict
    {
        outcome what = outcome::equal;
        /// What differs, by the first few keys, or why it was skipped.
        std::string why = {};
    };
    /// The next page to ask for; answer with on_page().
    using action = std::variant<list_options, verdict>;

    /// @param stored   Everything the store had when its list of this version was in it and nothing after it.
    /// @param contents  Compares bodies, too: not for objects that somebody has made anew on their way to the store.
    consistency_core(const std::vector<kept_object>& stored, std::string version, bool contents = true,
                     std::uint32_t page_size = 500);

    [[nodiscard]] action start() const;
    [[nodiscard]] action on_page(const result<list_page>& page);

private:
    void compare(const object& listed);
    void differ(std::string_view what, object_key_view key);
    [[nodiscard]] verdict conclude();

    std::string version_;
    bool contents_;
    std::uint32_t page_size_;
    /// What is stored, and whether the list had it too.
    kept_map<bool> stored_;
    std::string token_;
    std::size_t differences_ = 0;
    std::string examples_;
};

} // namespace kubecoro::detail
