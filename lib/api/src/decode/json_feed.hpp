// The one place where JSON text is tokenised: whole values become tapes, the envelope around them is handed to its
// owner.
#pragma once

#include "decode/item_identity.hpp"
#include "tape/tape_writer.hpp"

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** What surrounds the objects of a document, as its owner sees it.

    Each question may be answered with failure by setting `problem`, in words that complete "... after byte N". */
class envelope
{
public:
    enum class verdict
    {
        /// Show me what is inside.
        descend,
        /// Write it to the tape, without what the options prune, and call encoded().
        encode,
        /// The same, but ask recognise() as soon as it is known who it is.
        encode_unless_known,
        /// Write it to the tape with everything.
        encode_whole,
        /// Not of interest; costs no memory.
        skip,
        /// `problem` says why.
        refuse
    };

    virtual ~envelope() = default;

    virtual verdict open(bool is_object) = 0;
    /// The end of a container that was descended into.
    virtual void close() {}
    virtual void key(std::string_view text) = 0;
    /// `text` is that of a string or number, cut at 4096 bytes. False = `problem` is set.
    virtual bool scalar(value_kind kind, std::string_view text) = 0;
    virtual bool encoded(const tape_writer& tape) = 0;
    /// The object in work is at hand already: encoded() is not called, and write() returns, see interrupted(). May be
    /// asked again when more is known.
    virtual bool recognise(const item_identity&) { return false; }
    /** The object in work is larger than the limits allow, as `problem` says: true = everything else goes on without it,
        and encoded() is not called.

        @param metadata  Of the object, as far as it came before; for the call. */
    virtual bool leave_out(value_view metadata)
    {
        static_cast<void>(metadata);
        return false;
    }

    std::string problem;
};

/** Feeds text to a JSON parser and its events to a tape and an envelope. One document at a time. */
class json_feed
{
public:
    /// @param owner        Must outlive the feed and stay in place.
    /// @param outer_depth  Levels of the envelope, on top of the objects' own limit.
    /// @param words        For the tapes; null = each stands alone.
    json_feed(envelope& owner, const decode_options& options, std::size_t outer_depth, vocabulary* words);
    ~json_feed();
    json_feed(const json_feed&) = delete;
    json_feed& operator=(const json_feed&) = delete;

    /// Ready for the next document. `offset` is where its text starts, for messages.
    void reset(std::size_t offset);

    /** Parses on. @return the bytes taken: fewer than given only when the document is complete and something else
        follows. Errors: cond::corrupt with how far the text was understood; cond::invalid for paths to prune that cannot
        be read. */
    [[nodiscard]] result<std::size_t> write(std::string_view bytes, bool more);
    [[nodiscard]] bool done() const noexcept;

    /// An object was recognised, and so many containers of it are open: their rest is the caller's to skip. 0 = none.
    [[nodiscard]] std::size_t interrupted() const noexcept;
    /// Goes on behind the recognised object, inside of what was descended into. `offset` as for reset().
    void resume(std::size_t offset);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace kubecoro::detail
