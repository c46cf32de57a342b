#pragma once

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/options.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

/// One HTTP request as a value, independent of its transport. The client adds credentials.
struct request
{
    /// The HTTP method.
    std::string method;
    /// Path and query, percent-encoded: "/api/v1/pods?limit=500".
    std::string target;
    /// The Accept header; empty = none.
    std::string accept = "application/json";
    /// Empty when there is no body.
    std::string content_type = {};
    /// The body; empty = none.
    std::string body = {};
    /// Further headers.
    std::vector<std::pair<std::string, std::string>> headers = {};
    friend bool operator==(const request&, const request&) = default;
};

/** Builds all requests for one resource. Sans-io; every target can be checked as text.

    Errors of the functions that take names: cond::invalid, naming the part, when a name or namespace is empty where
    one is required, contains `/` or `%`, or is `.` or `..`, as in client-go. */
class request_builder
{
public:
    /// @param ns    Namespace; empty = all namespaces (list, watch) or cluster scope.
    /// @param form  protobuf: reads ask for protobuf first where the server may have it: for built-in kinds, and for the
    ///              metadata of all kinds. Answers to writes are JSON.
    explicit request_builder(resource_type resource, std::string ns = {}, wire_form form = wire_form::json);

    /// A LIST, one page of it.
    [[nodiscard]] result<request> list(const list_options& o) const;
    /// A WATCH.
    [[nodiscard]] result<request> watch(const watch_options& o) const;
    /// @param subresource  "status", "scale", ...; empty = the object itself.
    [[nodiscard]] result<request> get(std::string_view name, std::string_view subresource = {}) const;
    /// A GET with options.
    [[nodiscard]] result<request> get(std::string_view name, const get_options& o,
                                      std::string_view subresource = {}) const;
    /// A GET of one object as a `Table`; a server without tables sends the object.
    [[nodiscard]] result<request> get_table(std::string_view name, table_object with) const;
    /// A LIST as a `Table`, one page of it; a server without tables sends the list.
    [[nodiscard]] result<request> list_table(const list_options& o, table_object with) const;
    /// A WATCH whose events have a `Table` of one row; a server without tables sends the objects.
    [[nodiscard]] result<request> watch_table(const watch_options& o, table_object with) const;
    /// A GET of the subresource log: plain text.
    [[nodiscard]] result<request> log(std::string_view name, const log_options& o) const;
    /// A POST to the collection.
    [[nodiscard]] result<request> create(std::string body, const write_options& o = {}) const;
    /// A POST to a subresource: an eviction, a binding, a token request.
    [[nodiscard]] result<request> create_subresource(std::string_view name, std::string_view subresource,
                                                     std::string body, const write_options& o = {}) const;
    /// A PUT.
    [[nodiscard]] result<request> update(std::string_view name, std::string body, const write_options& o = {},
                                         std::string_view subresource = {}) const;
    /// A PATCH with the content type of its kind.
    [[nodiscard]] result<request> patch(std::string_view name, patch_kind kind, std::string body,
                                        const write_options& o = {}, std::string_view subresource = {}) const;
    /// A DELETE of one object.
    [[nodiscard]] result<request> remove(std::string_view name, const delete_options& o = {},
                                         std::string_view subresource = {}) const;
    /// A DELETE of all objects that a LIST with these options has. A namespaced resource requires a namespace.
    [[nodiscard]] result<request> remove_collection(const list_options& which, const delete_options& o = {}) const;

private:
    [[nodiscard]] result<std::string> list_target(const list_options& o, bool for_removal, table_object with) const;
    [[nodiscard]] result<std::string> watch_target(const watch_options& o, table_object with) const;
    [[nodiscard]] std::string read_accept(std::string_view metadata) const;
    [[nodiscard]] result<std::string> collection_path(bool for_create) const;
    [[nodiscard]] result<std::string> object_path(std::string_view name, std::string_view subresource) const;

    resource_type resource_;
    std::string ns_;
    wire_form form_;
};

/// The text of a `DeleteOptions` object; empty for the server's defaults.
[[nodiscard]] std::string delete_options_text(const delete_options& o);

/// True if the request accepts protobuf.
[[nodiscard]] bool accepts_protobuf(const request& r) noexcept;
/// Removes protobuf from the forms that the request accepts.
void accept_json_only(request& r);

/// Percent-encodes a query value the way kube-apiserver's own clients do (unreserved characters are kept).
[[nodiscard]] std::string encode_query_value(std::string_view text);

} // namespace kubecoro
