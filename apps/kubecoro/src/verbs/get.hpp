// The flags of `kubecoro get`, and its two ways: once, and with --watch.
#pragma once

#include "cli/object_flags.hpp"
#include "print/json_path.hpp"
#include "print/output_format.hpp"
#include "print/server_table.hpp"
#include "select/objects_of.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace kubecoro::tool {

struct get_flags
{
    object_flags objects = {};
    std::string format_text = {};
    std::string sort_text = {};
    table_layout layout = {};
    bool no_headers = false;
    bool managed_fields = false;
    bool watch = false;
    bool watch_only = false;
    // Parsed by check_get().
    output_format format = {};
    std::optional<json_path> sort = {};

    [[nodiscard]] bool watches() const { return watch || watch_only; }
};

/// Why --watch refuses several types or objects.
[[nodiscard]] failure follows_one();

/// Shows one resource, or one object of it, and its changes until it is cancelled. Errors: cond::invalid for more.
[[nodiscard]] boost::asio::awaitable<result<>> get_and_watch(const get_flags& flags, const verb_context& context,
                                                             located found);

} // namespace kubecoro::tool
