#pragma once

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/detail/model.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::codegen {

/// Which types are generated, and where they are included from.
struct generate_options
{
    /// The kinds whose types are generated. Default: all kinds of the model.
    std::function<bool(const kind&)> wanted = {};
    /// The folder of the headers, below the include directory: `#include <kubecoro/core_v1/pod.hpp>`.
    std::string folder = "kubecoro";
    /// Also writes `all_kinds.hpp`, which includes all kinds and calls a function for each.
    bool list = false;
    /// For build systems, which must know files before they are there: `shop_types` gives one source `shop_types.cpp`, and
    /// one `shop_types_definitions.cpp`, and a header `shop_types_marker.hpp` that all others include and that changes with each of them. Default: a source
    /// for each group and version, such as `core_v1.cpp`, and no marker.
    std::string target = {};
    /// Messages whose headers are there already, such as those of the built-in kinds: not generated, included from the
    /// folder `kubecoro`. The model may hold them without fields.
    std::function<bool(const std::string& message)> exists = {};
    /// The message after which the header of such a one is named. Default: itself.
    std::function<std::string(const std::string& message)> header_of = {};
};

/// A generated file.
struct generated_file
{
    /// Below the include directory for headers, the name alone for sources.
    std::string path;
    /// The whole file.
    std::string text;
    /// Whether it is compiled, not included.
    bool is_source = false;
};

/** Generates C++: for each kind and its parts a struct and a typed view, one header a kind, and one source a group and
    version with the descriptions that reading and writing the structs needs. Definitions of kinds have a source of their
    own, so that only programs that print them hold them.

    Equal models give equal files, in the order of their paths. Errors: cond::invalid for a message that the model
    mentions and does not hold, for one of more than 65,535 fields, and for names that become the same in C++. */
[[nodiscard]] result<std::vector<generated_file>> generate(const model& m, const generate_options& options = {});

} // namespace kubecoro::codegen
