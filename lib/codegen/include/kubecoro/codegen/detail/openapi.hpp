#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/detail/built_in.hpp>
#include <kubecoro/codegen/detail/model.hpp>

#include <boost/json/value.hpp>

#include <functional>
#include <span>
#include <string>

namespace kubecoro::codegen {

/// Whether a document is an OpenAPI one, of any version.
[[nodiscard]] bool is_openapi(const boost::json::value& document);

/** Reads OpenAPI v3 documents into a model, as API servers publish them for each group and version:
    `/openapi/v3/apis/shop.example.com/v1`.

    The kinds are those of the paths of objects; paths say the plural and whether there are namespaces. Messages are
    called as the schemas are: `com.example.shop.v1.Gadget`; what the schemas hold within themselves is named and typed
    as read_crds() does. The schemas may refer to each other in circles. Those of values that are no objects, such as
    Quantity, Time or RawExtension, are known by their names.

    Kinds that the library has (is_built_in()) are left out, and its messages are held without fields: see
    generate_options::exists.

    @param source  For the banner of generated files.
    @param wanted  The kinds that are read; what only others need may be broken. Default: all.
    Errors: cond::invalid with the schema and the path in it: not of OpenAPI v3, no kinds, missing schemas, names that
    the API does not allow, schemas that are not the same in all documents, more than 64 schemas within each other or
    100,000 properties. */
[[nodiscard]] result<model> read_openapi(std::span<const boost::json::value> documents, std::string source,
                                         const std::function<bool(const kind&)>& wanted = {});

} // namespace kubecoro::codegen
