#include "decode/selection.hpp"

#include <utility>

namespace kubecoro {

std::shared_ptr<const known_objects> selection_of(std::shared_ptr<const known_objects> known)
{
    const auto* selects = dynamic_cast<const selecting_objects*>(known.get());
    if (selects == nullptr) return nullptr;
    return std::make_shared<const detail::bare_selection>(std::move(known), *selects);
}

} // namespace kubecoro
