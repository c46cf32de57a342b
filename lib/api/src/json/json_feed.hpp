#pragma once

#include "json/item_identity.hpp"
#include "tape/tape_writer.hpp"

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** The surroundings of a document's objects, as seen by their owner.

    A function fails by setting `problem`, a text that is continued with "... after byte N". */
class envelope
{
public:
    enum class verdict
    {
        /// Report the content.
        descend,
        /// Write it to the tape, pruned according to the options, and call encoded().
        encode,
        /// The same, but call recognise() as soon as the identity is known, and again at the end of the metadata.
        encode_unless_recognised,
        /// Write it to the tape without pruning.
        encode_whole,
        /// Ignore; costs no memory.
        skip,
        /// Reject; `problem` says why.
        refuse
    };

    virtual ~envelope() = default;

    virtual verdict open(bool is_object) = 0;
    /// Ends a container that was descended into.
    virtual void close() {}
    virtual void key(std::string_view text) = 0;
    /// `text` is that of a string, cut at 4096 bytes; empty for other kinds. False = `problem` is set.
    virtual bool scalar(value_kind kind, std::string_view text) = 0;
    virtual bool encoded(const tape_writer& tape) = 0;
    /// Returns true if the current object is already available, or not wanted: encoded() is not called, and the rest of the
    /// object is only scanned for its end. May be called again when more is known.
    virtual bool recognise(const item_identity&) { return false; }
    /** The current object exceeds the limits. Returns true to continue without it; encoded() is not called.

        @param what  The object, as far as it could be read: without a name, nothing tells which one it is. */
    virtual bool leave_out(left_out_object what)
    {
        static_cast<void>(what);
        return false;
    }

    std::string problem;
};

/** Scans JSON text: whole values become tapes, the envelope around them is passed to its owner. One document at a time,
    in any chunking. */
class json_feed
{
public:
    /// @param owner        Must outlive the feed and not move.
    /// @param outer_depth  Levels of the envelope, in addition to the objects' own limit.
    /// @param words        Vocabulary of the tapes; null = each is self-contained.
    json_feed(envelope& owner, const decode_options& options, std::size_t outer_depth, vocabulary* words);
    ~json_feed();
    json_feed(const json_feed&) = delete;
    json_feed& operator=(const json_feed&) = delete;

    /// Prepares for the next document. `offset` is the start of its text, for messages.
    void reset(std::size_t offset);

    /** Continues parsing. @return the bytes consumed: fewer than given only when the document is complete and other
        text follows. Errors: cond::corrupt with the position up to which the text was understood; cond::invalid for
        invalid prune paths. */
    [[nodiscard]] result<std::size_t> write(std::string_view bytes, bool more);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace kubecoro::detail
