// Matches label and field selectors against stored objects.
#pragma once

#include "objects/label_match.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/apiserver/status_error.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver {

class selection
{
public:
    /// Errors: 400 with kube-apiserver's wording.
    [[nodiscard]] static answer<selection> parse(const resource_info& info, std::string_view labels,
                                                 std::string_view fields);

    [[nodiscard]] bool everything() const noexcept { return labels_.everything() && fields_.empty(); }
    [[nodiscard]] bool uses_fields() const noexcept { return !fields_.empty(); }
    [[nodiscard]] bool matches(const resource_info& info, const stored_object& object) const;

private:
    /// All requirements for one field: clients choose how many there are.
    struct field_rule
    {
        std::optional<std::string> equal = {};
        /// Sorted.
        std::vector<std::string> not_equal = {};
        /// Two values are required.
        bool impossible = false;

        [[nodiscard]] bool takes(std::string_view value) const;
    };

    label_match labels_;
    /// By path.
    std::map<std::string, field_rule> fields_;
};

} // namespace kubecoro::apiserver
