#pragma once
// Decides for which object, and when, the texts of a document are counted.

#include "tape/text_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Counts the texts of a document once for all versions of its object, identified by its uid, and for its namespace.

    Built-in kinds have their namespace and uid before the texts that are counted, custom resources after their
    annotations, labels and managed fields. Texts seen before the uid are therefore counted when the uid is read: a text
    of a single object is never learnt, wherever its uid is. Bounded: only the first `most_deferred` new texts before the
    uid are counted. */
class object_sightings
{
public:
    static constexpr std::size_t most_deferred = 512;

    void begin(unsigned document) noexcept
    {
        deferred_.clear(); // left over from an aborted document
        object_ = document_ = document;
        namespace_ = owner_shares::none;
        is_known_ = false;
    }
    /// Sets the namespace of the document, which comes before the uid.
    void is_in(std::string_view ns) noexcept { namespace_ = owner_shares::of(ns); }
    /// Sets the object that the document is a version of. Only the first call has an effect.
    void belongs_to(unsigned object);
    /// No uid follows: without one, the document's texts are counted for the document.
    void without_uid()
    {
        if (!is_known_) belongs_to(object_);
    }
    /// The object's number; the document's own until the uid is known.
    [[nodiscard]] unsigned owner() const noexcept { return object_; }

    [[nodiscard]] text_table::sighting see(text_table& table, std::string_view text, std::uint64_t hash, bool is_users)
    {
        if (is_known_) return table.see(text, hash, {object_, namespace_, is_users});
        return defer(text, {&table, hash, text.size(), is_users, false});
    }
    /// The same for texts that are counted once for each version.
    [[nodiscard]] text_table::sighting see_version(text_table& table, std::string_view text, std::uint64_t hash)
    {
        if (is_known_) return table.see(text, hash, {document_, namespace_});
        return defer(text, {&table, hash, text.size(), false, true});
    }

private:
    struct deferred
    {
        text_table* table;
        std::uint64_t hash;
        std::size_t size;
        bool is_users;
        bool per_version;
    };

    [[nodiscard]] text_table::sighting defer(std::string_view text, const deferred& d);

    std::vector<deferred> deferred_;
    unsigned document_ = 0;
    unsigned object_ = 0;
    owner_shares::owner namespace_ = owner_shares::none;
    bool is_known_ = false;
};

inline void object_sightings::belongs_to(unsigned object)
{
    if (is_known_) return;
    object_ = object;
    is_known_ = true;
    for (const deferred& d : deferred_)
        d.table->count_later(d.hash, d.size, {d.per_version ? document_ : object_, namespace_, d.is_users});
    deferred_.clear();
}

inline text_table::sighting object_sightings::defer(std::string_view text, const deferred& d)
{
    const text_table::sighting s = d.table->recall(text, d.hash);
    if (!s.known && deferred_.size() < most_deferred && d.table->has_room(text)) deferred_.push_back(d);
    return s;
}

} // namespace kubecoro::detail
