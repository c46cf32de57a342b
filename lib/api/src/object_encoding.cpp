#include <kubecoro/api/object_encoding.hpp>

#include "encoding.hpp"

namespace kubecoro {

encoding_options encoding_for(const resource_type& resource)
{
    return {.values = !(resource.group.empty() && resource.plural == "secrets")};
}

std::size_t object_encoding::bytes() const noexcept
{
    return sizeof(detail::encoding) + static_cast<const detail::encoding*>(this)->words.bytes();
}

std::shared_ptr<object_encoding> make_object_encoding(encoding_options options)
{
    return std::shared_ptr<object_encoding>(new detail::encoding(options),
                                            [](object_encoding* e) { static_cast<detail::encoding*>(e)->release(); });
}

} // namespace kubecoro
