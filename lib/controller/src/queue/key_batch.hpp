#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// A batch of keys for the queue, with all text in one buffer: refilled repeatedly without allocating.
class key_batch
{
public:
    /// The position of a key's text; passed to the queue, which reads the key with key().
    struct place
    {
        std::size_t at;
        std::size_t ns;
        std::size_t name;
    };

    void add(object_key_view key)
    {
        const place p{.at = text_.size(), .ns = key.ns.size(), .name = key.name.size()};
        complete_ = false;
        text_ += key.ns;
        text_ += key.name;
        places_.push_back(p);
        complete_ = true;
    }
    /// False when an add() has failed for lack of memory, whatever its caller made of that.
    [[nodiscard]] bool complete() const noexcept { return complete_; }
    [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }
    /// Valid until the next add().
    [[nodiscard]] object_key_view key(const place& p) const noexcept
    {
        const std::string_view all(text_);
        return {all.substr(p.at, p.ns), all.substr(p.at + p.ns, p.name)};
    }
    [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
    void clear() noexcept
    {
        text_.clear();
        places_.clear();
        complete_ = true;
    }

private:
    std::string text_;
    std::vector<place> places_;
    bool complete_ = true;
};

} // namespace kubecoro::detail
