#pragma once

#include <kubecoro/api/detail/decoders.hpp>

#include <memory>
#include <utility>

namespace kubecoro::detail {

/// Former states without objects that find() finds: see selection_of().
class former_states final : public known_objects, public former_objects
{
public:
    explicit former_states(std::shared_ptr<const known_objects> of, const former_objects& formers)
        : of_(std::move(of)), formers_(formers)
    {
    }
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    [[nodiscard]] object former(object_key_view key) const override { return formers_.former(key); }

private:
    std::shared_ptr<const known_objects> of_;
    const former_objects& formers_;
};

/// A selection in which find() finds nothing.
class bare_selection final : public selecting_objects, public former_objects
{
public:
    /// @param formers  May be null.
    explicit bare_selection(std::shared_ptr<const known_objects> of, const selecting_objects& selects,
                            const former_objects* formers)
        : of_(std::move(of)), selects_(selects), formers_(formers)
    {
    }
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view) const override { return {}; }
    [[nodiscard]] object former(object_key_view key) const override
    {
        return formers_ != nullptr ? formers_->former(key) : object();
    }
    [[nodiscard]] bool wants(object_key_view key) const noexcept override { return selects_.wants(key); }

private:
    std::shared_ptr<const known_objects> of_;
    const selecting_objects& selects_;
    const former_objects* formers_;
};

/// Known objects as decoders use them. Borrowed.
struct selection
{
    /// Null: no list has known objects.
    const known_objects* known = nullptr;
    /// Null: all objects are wanted.
    const selecting_objects* selects = nullptr;
    /// Null: no former states are known.
    const former_objects* formers = nullptr;

    selection() = default;
    explicit selection(const known_objects* k)
        : known(dynamic_cast<const bare_selection*>(k) || dynamic_cast<const former_states*>(k) ? nullptr : k),
          selects(dynamic_cast<const selecting_objects*>(k)),
          formers(dynamic_cast<const former_objects*>(k))
    {
    }
    /// Whether the identity of a list's item matters at all.
    [[nodiscard]] bool judges() const noexcept { return known != nullptr || selects != nullptr; }
    [[nodiscard]] object find(object_key_view key, std::string_view uid, std::string_view version) const
    {
        return known != nullptr ? known->find(key, uid, version) : object();
    }
    [[nodiscard]] object former(object_key_view key) const
    {
        return formers != nullptr ? formers->former(key) : object();
    }
    void expect(object_key_view key) const
    {
        if (known != nullptr && !key.name.empty()) known->expect(key);
    }
    /// Whether an object is to be passed over.
    [[nodiscard]] bool drops(const object_key_view& key) const noexcept
    {
        return selects != nullptr && !key.name.empty() && !selects->wants(key);
    }
};

} // namespace kubecoro::detail
