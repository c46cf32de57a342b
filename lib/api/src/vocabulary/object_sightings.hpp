#pragma once

#include "vocabulary/text_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Counts the texts of a document once for all versions of its object, identified by its uid.

    Built-in kinds have their uid before the texts that are counted, custom resources after their annotations and
    labels. Texts seen before the uid are therefore counted when the uid is read: a text of a single object is never
    learnt, wherever its uid is. Bounded: only the first `most_deferred` new texts before the uid are counted. */
class object_sightings
{
public:
    static constexpr std::size_t most_deferred = 512;

    void begin(unsigned document) noexcept
    {
        deferred_.clear(); // left over from an aborted document
        owner_ = document;
        is_known_ = false;
    }
    /// Sets the object that the document is a version of. Only the first call has an effect.
    void belongs_to(unsigned owner);
    /// No uid follows: without one, the document's texts are counted for the document.
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
