// Objects, lists and events in the form a client asked for: whole, metadata only, or as rows of a table.
#pragma once

#include "http/media.hpp"
#include "state/resource_store.hpp"
#include "verbs/list_page.hpp"

#include <kubecoro/base/clock.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {

/// How one request wants its objects.
struct rendering
{
    representation as = representation::json;
    /// The API version of the resource.
    std::string version;
    /// meta.k8s.io version of tables.
    std::string table_version = "v1";
    /// Tables: "None", "Metadata" (default) or "Object" in each row.
    std::string include_object = "Metadata";
};

[[nodiscard]] std::string render_object(const resource_info& info, const stored& object, const rendering& r,
                                        wall_time now);

/// A list's text in three kinds of parts. Keeps what it needs of the resource, but refers to the page.
class list_renderer
{
public:
    list_renderer(const resource_info& info, const list_page& page, rendering form, wall_time now);

    /// Up to the first item.
    void append_head(std::string& out) const;
    /// Without the comma between two.
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

/// `{"type":"ADDED","object":...}` and a newline. `columns`: tables describe their columns in the first event only.
[[nodiscard]] std::string render_event(const resource_info& info, std::string_view type, const stored& object,
                                       const rendering& r, bool columns, wall_time now);
[[nodiscard]] std::string render_bookmark(const resource_info& info, std::uint64_t version, bool initial_end,
                                          const rendering& r, bool columns);
/// An ERROR event around a Status.
[[nodiscard]] std::string render_error_event(std::string_view status);

/// `{"kind":"PartialObjectMetadata",...}` of an object.
[[nodiscard]] std::string partial_metadata(const stored_object& object, bool typed = true);

} // namespace kubecoro::apiserver
