#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/detail/built_in.hpp>
#include <kubecoro/codegen/detail/model.hpp>

#include <boost/json/value.hpp>

#include <span>
#include <string>

namespace kubecoro::codegen {

/// Whether a document is a CustomResourceDefinition, of any version.
[[nodiscard]] bool is_crd(const boost::json::value& document);

/** Reads CustomResourceDefinitions of apiextensions.k8s.io/v1 into a model: every version that is served.

    A kind's message is called `com.example.shop.v1.Gadget`, its parts by the path to them: `GadgetSpecRules` for the
    items of `spec.rules`. Where two would have one name in C++, the later one gets a number. A field is optional if
    the schema neither requires nor fills it, or if it may be null; `spec` and `status` of a kind never are.

    Rules of the schema that say nothing of types (bounds, patterns, CEL) are kept in kind::definition alone. The metadata is the library's
    own message `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`, which the model holds without fields: see
    generate_options::exists.

    @param source  For the banner of generated files.
    Errors: cond::invalid with the name of the definition and the path in it: not of v1, no schema, references, names
    that the API does not allow, more than 64 schemas within each other or 100,000 properties. */
[[nodiscard]] result<model> read_crds(std::span<const boost::json::value> documents, std::string source);

} // namespace kubecoro::codegen
