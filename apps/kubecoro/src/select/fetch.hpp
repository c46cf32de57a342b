// Reads the objects of a target, as tables or as JSON.
#pragma once

#include "cli/verb.hpp"
#include "print/server_table.hpp"
#include "select/resolve.hpp"

#include <kubecoro/api/options.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace kubecoro::tool {

struct fetch_options
{
    list_options selected = {};
    bool ignore_not_found = false;
    /// Rows of tables carry whole objects, for --sort-by.
    bool whole_objects = false;
    bool managed_fields = false;
};

/** The Table of a target, all pages of it, or a row for each name.

    Failures of single objects go to `found_wrong`; those of lists are returned. */
[[nodiscard]] boost::asio::awaitable<result<table>> fetch_table(client api, target from, fetch_options options,
                                                                verb_context context, problems& found_wrong);

/// The objects of a target as JSON. Failures as fetch_table().
[[nodiscard]] boost::asio::awaitable<result<boost::json::array>>
fetch_objects(client api, target from, fetch_options options, verb_context context, problems& found_wrong);

/// An object as it is shown.
[[nodiscard]] boost::json::value json_of(const object& o, bool managed_fields);

} // namespace kubecoro::tool
