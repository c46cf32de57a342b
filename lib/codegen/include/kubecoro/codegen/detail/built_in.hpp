#pragma once
// The built-in kinds: the types that the library has of them, in kubecoro::kinds, and their schemas.

#include <kubecoro/base/result.hpp>
#include <kubecoro/codegen/detail/model.hpp>

#include <span>
#include <string>
#include <string_view>

namespace kubecoro::codegen {

/// The groups and versions whose kinds have types in the library, such as "apps/v1" and "v1", in order.
[[nodiscard]] std::span<const std::string_view> built_in_groups() noexcept;

/// Whether the library has the type of a message, for generate_options::exists.
[[nodiscard]] bool is_built_in(const std::string& message);

/// The message after which the header of a built-in one is named, for generate_options::header_of: the header of
/// "io.k8s.api.core.v1.PodCondition" is that of "io.k8s.api.core.v1.Pod". Other messages name their own.
[[nodiscard]] std::string built_in_header(const std::string& message);

/// The built-in message that has the C++ name of another message; empty if there is none.
[[nodiscard]] std::string built_in_twin(const std::string& message);

/** Reads the schemas of the built-in kinds: the rows of lib/api/schemas/kubernetes.json, described there.

    Kinds without a path of their own, such as lists, are left out. Errors: cond::invalid, with the row. */
[[nodiscard]] result<model> read_kubernetes(const boost::json::value& rows);

} // namespace kubecoro::codegen
