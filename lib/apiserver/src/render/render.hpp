// Renders objects, lists and watch events in the requested form: complete, metadata only, or as table rows.
#pragma once

#include "request/list_page.hpp"
#include "request/media.hpp"
#include "state/resource_store.hpp"

#include <kubecoro/base/clock.hpp>

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

/// Returns `{"type":"ADDED","object":...}` and a newline, or the same as a frame of protobuf. `columns`: include a table's column definitions, which belong
/// to the first event only.
[[nodiscard]] std::string render_event(const resource_info& info, std::string_view type, const stored& object,
                                       const rendering& r, bool columns, wall_time now);
[[nodiscard]] std::string render_bookmark(const resource_info& info, std::uint64_t version, bool initial_end,
                                          const rendering& r, bool columns);
/// Returns an ERROR event with a Status as its object.
[[nodiscard]] std::string render_error_event(std::string_view status, answer_form form);

/// Renders an object as PartialObjectMetadata. `typed`: include kind and apiVersion.
[[nodiscard]] std::string partial_metadata(const stored_object& object, bool typed = true);

} // namespace kubecoro::apiserver
