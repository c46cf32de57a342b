#pragma once
// Feeds the JSON of documents to tapes in any chunking, and extracts the identity of objects from their parse events.

#include "tape/tape_writer.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

/** Extracts an object's identity from its parse events: name, namespace, uid and version from its metadata, in any
    position and order. */
class item_identity
{
public:
    void begin() noexcept
    {
        in_metadata_ = is_final_ = false;
        field_ = nullptr;
        for (auto* text : {&ns_, &name_, &uid_, &version_}) text->clear();
    }

    /// @param depth  Number of open containers around the key.
    void key(std::size_t depth, std::string_view text) noexcept
    {
        field_ = nullptr;
        if (depth == 1)
            in_metadata_ = text == "metadata";
        else if (depth == 2 && in_metadata_)
            field_ = field(text);
    }

    /// Processes a string at this depth. @return true if it set a field and name, uid and version are known.
    [[nodiscard]] bool string(std::size_t depth, std::string_view text)
    {
        if (field_ == nullptr || depth != 2) return false;
        *field_ = text;
        field_ = nullptr;
        return is_complete();
    }

    /// Processes the end of a container around which this many are open, itself included. @return true if nothing changes any more.
    [[nodiscard]] bool end(std::size_t depth) noexcept
    {
        if (depth != 2 || !std::exchange(in_metadata_, false)) return false;
        return is_final_ = true;
    }

    /// The last key of the object is that of its metadata.
    [[nodiscard]] bool is_in_metadata() const noexcept { return in_metadata_; }
    /// Name, uid and version are known; the namespace may still come.
    [[nodiscard]] bool is_complete() const noexcept { return !name_.empty() && !uid_.empty() && !version_.empty(); }
    /// Whether key() is known as a whole.
    [[nodiscard]] bool has_key() const noexcept { return !name_.empty() && (is_final_ || !ns_.empty()); }
    [[nodiscard]] object_key_view key() const noexcept { return {ns_, name_}; }
    [[nodiscard]] std::string_view uid() const noexcept { return uid_; }
    [[nodiscard]] std::string_view resource_version() const noexcept { return version_; }

private:
    [[nodiscard]] std::string* field(std::string_view key) noexcept
    {
        return key == "name"              ? &name_
               : key == "namespace"       ? &ns_
               : key == "uid"             ? &uid_
               : key == "resourceVersion" ? &version_
                                          : nullptr;
    }

    bool in_metadata_ = false;
    /// The metadata has ended.
    bool is_final_ = false;
    /// Destination of the next string.
    std::string* field_ = nullptr;
    std::string ns_;
    std::string name_;
    std::string uid_;
    std::string version_;
};

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
