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
        text_ += key.ns;
        text_ += key.name;
        places_.push_back(p);
    }
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
    }

private:
    std::string text_;
    std::vector<place> places_;
};

} // namespace kubecoro::detail
