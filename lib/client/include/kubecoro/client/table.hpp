#pragma once

#include <kubecoro/api/list_watch_source.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro {

/// Objects as the server shows them to people: what `kubectl get` prints.
struct table
{
    /// A column of a table. All text is the server's.
    struct column
    {
        /// The heading, such as "Ready".
        std::string name = {};
        /// The type of the cells as in OpenAPI: "string", "integer", "number", "boolean", "date".
        std::string type = {};
        /// Says more about the type; "name" marks the column of the objects' names.
        std::string format = {};
        /// Describes the column.
        std::string description = {};
        /// 0 = always shown; greater ones are shown on wide output.
        std::int32_t priority = 0;
        friend bool operator==(const column&, const column&) = default;
    };

    /// A row of a table: one object.
    struct row
    {
        /// A text per column: strings as they are, null as an empty one, all else in JSON. Use printable() before a terminal
        /// sees it.
        std::vector<std::string> cells = {};
        /// As table_object asks for; null with table_object::none.
        object shown = {};
    };

    /// The columns, in order.
    std::vector<column> columns = {};
    /// The rows, in the server's order.
    std::vector<row> rows = {};
    /// The version of the list or object.
    std::string resource_version = {};
    /// The token of the next page; empty = this is the last.
    std::string continue_token = {};
    /// How many objects follow this page, if the server says so.
    std::optional<std::int64_t> remaining = {};
};

/** One object as a table with one row. A server without tables gives the columns Name and Created At.

    @par Errors  As client; corrupt for anything else than a table or an object. */
[[nodiscard]] boost::asio::awaitable<result<table>>
get_table(client c, resource_type resource, kept_text ns, kept_text name, table_object with = table_object::metadata);

/** A list as a table, one page of it: pass its continue_token on to get the next.

    A page is held whole, at most client_limits::max_answer_bytes: set list_options::limit, as kubectl does with 500.
    metadata_only does not apply. Errors: as get_table. */
[[nodiscard]] boost::asio::awaitable<result<table>> list_table(client c, resource_type resource, kept_text ns,
                                                               list_options options = {},
                                                               table_object with = table_object::metadata);

/// A change of a table that is watched.
struct table_event
{
    /// added, modified, deleted or bookmark.
    watch_event_type type = watch_event_type::unknown;
    /// The object's row, the last one if it was deleted. Empty for a bookmark.
    table::row row = {};
    /// The version reached: where a later watch goes on.
    std::string resource_version = {};
};

/// An open watch of a table. Owned by one coroutine at a time; destroying it closes the connection.
class table_watch
{
public:
    virtual ~table_watch() = default;

    /** The events that have arrived, at least one; none at the clean end of the watch.

        @par Errors        As watch_stream::next(), and those that the server reports inside the watch, such as expired.
        @par Cancellation  terminal, partial: the watch is closed. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<table_event>>> next() = 0;

    /// The columns; empty before the first event. A server sends them once for each watch.
    [[nodiscard]] virtual const std::vector<table::column>& columns() const noexcept = 0;
};

/** Watches a table. A server without tables gives the columns Name and Created At.

    metadata_only does not apply. Errors: as client::watch(). */
[[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<table_watch>>>
watch_table(client c, resource_type resource, kept_text ns, watch_options options = {},
            table_object with = table_object::metadata);

} // namespace kubecoro
