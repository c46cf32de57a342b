// Matches label and field selectors against stored objects.
#pragma once

#include "state/stored_object.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/apiserver/status_error.hpp>

#include <string_view>

namespace kubecoro::apiserver {

class selection
{
public:
    /// Errors: 400 with kube-apiserver's wording.
    [[nodiscard]] static answer<selection> parse(const resource_info& info, std::string_view labels,
                                                 std::string_view fields);

    [[nodiscard]] bool everything() const noexcept { return labels_.empty() && fields_.empty(); }
    [[nodiscard]] bool uses_fields() const noexcept { return !fields_.empty(); }
    [[nodiscard]] bool matches(const resource_info& info, const stored_object& object) const;

private:
    label_selector labels_;
    field_selector fields_;
};

} // namespace kubecoro::apiserver
