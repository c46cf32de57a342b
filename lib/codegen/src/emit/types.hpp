// The C++ types that generated code writes for those of the model.
#pragma once

#include "model/layout.hpp"

#include <kubecoro/codegen/detail/model.hpp>

#include <set>
#include <string>

namespace kubecoro::codegen {

/// A type as C++ text, and the headers that it needs.
class type_writer
{
public:
    explicit type_writer(const message_order& order) : order_(order) {}

    /// The type of a struct's member.
    [[nodiscard]] std::string member(const message& of, const field& f);
    /// The type that a view's accessor returns.
    [[nodiscard]] std::string accessor(const field& f);
    /// The expression that reads the field in a view. @param name  Its JSON name as a C++ literal.
    [[nodiscard]] std::string reading(const field& f, const std::string& name);
    /// The type of a value.
    [[nodiscard]] std::string scalar_name(codegen::scalar s);
    /// The headers that the types of all calls so far need, as in `#include <...>`.
    [[nodiscard]] const std::set<std::string>& includes() const noexcept { return includes_; }

private:
    [[nodiscard]] std::string item(const value_shape& type);
    [[nodiscard]] std::string view_item(const value_shape& type);

    const message_order& order_;
    std::set<std::string> includes_;
};

} // namespace kubecoro::codegen
