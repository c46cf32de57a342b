#pragma once

#include <kubecoro/api/selecting_objects.hpp>

#include <memory>

namespace kubecoro::detail {

/// A selection without objects: see selection_of().
class bare_selection final : public selecting_objects
{
public:
    explicit bare_selection(std::shared_ptr<const known_objects> of, const selecting_objects& selects)
        : of_(std::move(of)), selects_(selects)
    {
    }
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    [[nodiscard]] bool wants(object_key_view key) const noexcept override { return selects_.wants(key); }

private:
    std::shared_ptr<const known_objects> of_;
    const selecting_objects& selects_;
};

/// Known objects as decoders use them. Borrowed.
struct selection
{
    /// Null: nothing is known.
    const known_objects* known = nullptr;
    /// Null: all objects are wanted.
    const selecting_objects* selects = nullptr;

    selection() = default;
    explicit selection(const known_objects* k)
        : known(dynamic_cast<const bare_selection*>(k) ? nullptr : k),
          selects(dynamic_cast<const selecting_objects*>(k))
    {
    }
    /// Whether the identity of an object matters at all.
    [[nodiscard]] bool judges() const noexcept { return known != nullptr || selects != nullptr; }
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const
    {
        return known != nullptr ? known->find(key, uid, version) : object();
    }
    /// Whether an object is to be passed over.
    [[nodiscard]] bool drops(const object_key_view& key) const noexcept
    {
        return selects != nullptr && !key.name.empty() && !selects->wants(key);
    }
};

} // namespace kubecoro::detail
