// Renders objects, lists and watch events in the requested form: complete, metadata only, or as table rows, in JSON, YAML or protobuf.
#pragma once

#include "objects/stored_object.hpp"
#include "request/list_query.hpp"
#include "request/media.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/apiserver/detail/status_error.hpp>
#include <kubecoro/base/clock.hpp>

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {

/// The form in which a request's objects are rendered.
struct rendering
{
    representation as = representation::json;
    answer_form form = answer_form::json;
    /// The API version of the resource.
    std::string version;
    /// meta.k8s.io version of tables.
    std::string table_version = "v1";
    /// Contents of a table row's object: "None", "Metadata" (default) or "Object".
    std::string include_object = "Metadata";
};

/// Renders an object as JSON, whatever the form.
[[nodiscard]] std::string render_object(const resource_info& info, const stored& object, const rendering& r,
                                        wall_time now);

/// Renders a list as head, items and tail. Copies the resource_info; refers to the page, which must outlive it.
class list_renderer
{
public:
    list_renderer(const resource_info& info, const list_page& page, rendering form, wall_time now);

    /// Appends the text before the first item.
    void append_head(std::string& out) const;
    /// Appends one item, without a separating comma.
    void append_item(std::string& out, const stored& item) const;
    void append_tail(std::string& out) const;

private:
    [[nodiscard]] bool custom() const { return info_.custom && form_.as == representation::json; }

    resource_info info_;
    const list_page& page_;
    rendering form_;
    wall_time now_;
    std::vector<table_column> columns_;
};

/// Returns the metadata of a list as JSON.
[[nodiscard]] std::string list_metadata(const list_page& page, bool custom);

/// Returns `{"type":"ADDED","object":...}` and a newline, or the same as a frame of protobuf.
/// `columns`: include a table's column definitions, which belong
/// to the first event only.
[[nodiscard]] std::string render_event(const resource_info& info, std::string_view type, const stored& object,
                                       const rendering& r, bool columns, wall_time now);
[[nodiscard]] std::string render_bookmark(const resource_info& info, std::uint64_t version, bool initial_end,
                                          const rendering& r, bool columns);
/// Returns an ERROR event with a Status as its object.
[[nodiscard]] std::string render_error_event(std::string_view status, answer_form form);

/// Renders an object as PartialObjectMetadata. `typed`: include kind and apiVersion.
[[nodiscard]] std::string partial_metadata(const stored_object& object, bool typed = true);

/// Returns an object in its envelope. Errors: 500 if its kind has no protobuf form, or a value has the wrong type.
[[nodiscard]] answer<std::string> protobuf_object(std::string_view json);

/// Returns the message of a stored object, or of its metadata only, as `kind` says. Errors: 500.
[[nodiscard]] answer<std::string> protobuf_item(const detail::schema_kind& kind, const stored_object& object);

/// @param json  An object that the server has rendered.
[[nodiscard]] std::string yaml_object(std::string_view json);

/// A list or table whose items are appended one by one, so that it is never in memory as a whole.
class yaml_list
{
public:
    /// @param json   The list, without an item.
    /// @param items  The member that has the items.
    yaml_list(std::string_view json, std::string_view items);

    void append_head(std::string& out) const;
    /// @param json  The item.
    void append_item(std::string& out, std::string_view json);
    void append_tail(std::string& out) const;

private:
    std::string items_;
    /// The members whose names come before and after that of the items.
    boost::json::object before_;
    boost::json::object after_;
    bool empty_ = true;
};

} // namespace kubecoro::apiserver
