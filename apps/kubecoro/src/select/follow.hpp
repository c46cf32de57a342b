// Follows the rows of a table, as `get --watch` does.
#pragma once

#include "cli/verb.hpp"
#include "select/fetch.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <vector>

namespace kubecoro::tool {

/// Receives rows that were added, changed or deleted, with the columns of their cells.
using row_sink = std::function<void(const std::vector<table::column>&, const std::vector<table::row>&)>;

/** Lists a target and watches it until it is cancelled. Survives lost connections, ends of watches and expired versions:
    a row is shown once for each version, and a change during a gap is shown after it.

    @param of         One resource, with at most one name.
    @param with_list  Also shows the rows that are there at the beginning.
    Errors: those that retries do not mend, see is_permanent(); for a name that is not there, not_found. */
[[nodiscard]] boost::asio::awaitable<result<>> follow_rows(client api, target of, fetch_options options,
                                                           verb_context context, bool with_list, row_sink show);

} // namespace kubecoro::tool
