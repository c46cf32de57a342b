#pragma once
// Reads tables from responses. Sans-io.

#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/client/table.hpp>

#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Reads a `Table`, or makes one of an object or a list.

    @param body     The whole response, in JSON.
    @param options  How the rows' objects are decoded.
    @par Errors     corrupt. */
[[nodiscard]] result<table> read_table(std::string_view body, const decode_options& options);

/** Reads the object of an event: a `Table` of one row, or the object itself.

    @param columns  Those of the table so far; set from the first event that has them. */
[[nodiscard]] result<table_event> read_table_event(const watch_event& e, const decode_options& options,
                                                   std::vector<table::column>& columns);

} // namespace kubecoro::detail
