#include "decode/selection.hpp"

namespace kubecoro {

std::shared_ptr<const known_objects> selection_of(std::shared_ptr<const known_objects> known)
{
    const auto* const selects = dynamic_cast<const selecting_objects*>(known.get());
    const auto* const formers = dynamic_cast<const former_objects*>(known.get());
    if (selects != nullptr) return std::make_shared<const detail::bare_selection>(std::move(known), *selects, formers);
    if (formers != nullptr) return std::make_shared<const detail::former_states>(std::move(known), *formers);
    return nullptr;
}

} // namespace kubecoro
