#pragma once

#include "vocabulary/text_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Counts the texts of a document once for all versions of its object, which is told by its uid.

    Built-in kinds have their uid before the texts that are counted, custom resources behind their annotations and labels. So
    what is seen before the uid is counted when the uid comes: a text that one object alone has is never learnt,
    wherever its uid stands. Bounded: of the texts before the uid the first `most_deferred` new ones are counted. */
class object_sightings
{
public:
    static constexpr std::size_t most_deferred = 512;

    void begin(unsigned document) noexcept
    {
        deferred_.clear(); // of a document that broke off
        owner_ = document;
        is_known_ = false;
    }
    /// The document is a version of that object. Only the first call has an effect.
    void belongs_to(unsigned owner);
    /// No uid comes any more: without one, the document's texts are counted for itself.
    void without_uid()
    {
        if (!is_known_) belongs_to(owner_);
    }
    /// The object's number; the document's own until the uid is known.
    [[nodiscard]] unsigned owner() const noexcept { return owner_; }

    [[nodiscard]] text_table::sighting see(text_table& table, std::string_view text, std::uint64_t hash)
    {
        return is_known_ ? table.see(text, hash, owner_) : defer(table, text, hash);
    }

private:
    struct deferred
    {
        text_table* table;
        std::uint64_t hash;
    };

    [[nodiscard]] text_table::sighting defer(text_table& table, std::string_view text, std::uint64_t hash);

    std::vector<deferred> deferred_;
    unsigned owner_ = 0;
    bool is_known_ = false;
};

} // namespace kubecoro::detail
