// Writes specialisations of view_fields, which call each accessor of generated views.
#pragma once

#include <kubecoro/codegen/detail/model.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kubecoro::test {

/// Two texts of C++.
struct view_check_code
{
    /// Declares view_fields<T> for the type of each message that the kinds need. Includes all_kinds.hpp of the folder.
    std::string header;
    /// Defines them. Includes "view_fields.hpp", which must be the header.
    std::string source;
};

/// @param folder  As generate_options::folder.
/// @param exists  As generate_options::exists. The views of such messages, whose fields the model does not hold, are
///                only compared as a whole.
[[nodiscard]] view_check_code view_checks(const codegen::model& m, const std::vector<codegen::kind>& kinds,
                                          const std::string& folder,
                                          const std::function<bool(const std::string&)>& exists = {});

} // namespace kubecoro::test
