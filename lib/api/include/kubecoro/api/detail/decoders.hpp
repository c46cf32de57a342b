#pragma once
// The decoders of lists and watches, and the objects that their caller already has or does not want.

#include <kubecoro/api/decode.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The objects that the requester of a list already has: unchanged ones need not be encoded again.
class known_objects
{
public:
    virtual ~known_objects() = default;
    /// Returns the object with this key, uid and version, or null. Called while the list is decoded.
    [[nodiscard]] virtual object find(object_key_view key, std::string_view uid,
                                      std::string_view resource_version) const = 0;
    /// Says that find() will soon be asked for this key, so that memory can be requested. Does nothing by default.
    virtual void expect(object_key_view) const {}
};

/** Known objects that also know former states: a base beside known_objects.

    Equal parts of an object are copied from its former state while the events of a watch are decoded, cheaper than reading them. */
class former_objects
{
public:
    virtual ~former_objects() = default;
    /// Returns a state of the object with this key, of any uid and version, or null. Called for each decoded event, by any thread.
    [[nodiscard]] virtual object former(object_key_view key) const = 0;
};

/** Known objects that also select, by key: those that are not wanted are passed over while lists and watches are decoded. Their
    text is scanned for its end alone.

    Items of lists are missing from the page then. An event has its version in watch_event::passed_over. A source_scope with it
    selects in all lists and watches. */
class selecting_objects : public known_objects
{
public:
    /// Whether objects with this key are wanted. Called for each item and event, by any thread; once at most with the result false.
    [[nodiscard]] virtual bool wants(object_key_view key) const noexcept = 0;
};

/// The same selection and former states for a watch without a streamed list: find() finds nothing. Null for known objects that
/// have neither, and for null.
[[nodiscard]] std::shared_ptr<const known_objects> selection_of(std::shared_ptr<const known_objects> known);

/** Decodes a list response as its bytes arrive, in any chunking, with no DOM and no copy of the response.

    Sans-io. Memory: the encoded items, about 80 bytes for each and in proportion to the text, plus a bounded remainder. A list whose
    items beyond the first 4096 have less than 16 bytes each on average is cond::corrupt. Items without kind and apiVersion get the
    list's. A known item (same uid and resource version) becomes the known handle as soon as its metadata has been read; the rest of
    it is scanned only for its end. After a failure the decoder stays failed. */
class list_decoder
{
public:
    /// @param encoding  Shared by the objects; null = each object is self-contained.
    /// @param form      As the answer's Content-Type says.
    explicit list_decoder(decode_options options = {}, std::shared_ptr<object_encoding> encoding = {},
                          std::shared_ptr<const known_objects> known = {}, wire_form form = wire_form::json);
    ~list_decoder();
    list_decoder(list_decoder&&) noexcept;
    list_decoder& operator=(list_decoder&&) noexcept;

    /// Errors: cond::corrupt with the reason and the byte up to which the text was understood (malformed, invalid UTF-8, not a list, an
    /// object that is too large and whose name does not come before the part that exceeds the limit, or one that is nested too deeply
    /// and has no name).
    [[nodiscard]] result<> feed(std::string_view bytes);
    /** Returns the page.

        @par Errors  as feed; cond::corrupt for an empty text and for one without `items`; cond::unreachable when the text ended
        early, as one that a proxy has cut; where the text is a Status that reports a failure, that failure. */
    [[nodiscard]] result<list_page> finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

/** Decodes a watch response, in any chunking: JSON documents separated by newlines, or protobuf frames.

    Sans-io. Events of complete lines or frames are returned at once; an incomplete one is buffered, bounded by the limits. */
class watch_decoder
{
public:
    /// As list_decoder. @param known  Set: the response begins with a streamed list. Up to the bookmark that ends it, added objects
    ///                                are treated as list items, and known ones are not encoded again.
    explicit watch_decoder(decode_options options = {}, std::shared_ptr<object_encoding> encoding = {},
                           std::shared_ptr<const known_objects> known = {}, wire_form form = wire_form::json);
    ~watch_decoder();
    watch_decoder(watch_decoder&&) noexcept;
    watch_decoder& operator=(watch_decoder&&) noexcept;

    /** Appends the events completed by `bytes`.

        Events before a broken line are appended, then the failure is returned (cond::corrupt); the decoder stays failed. An object that
        is too large is left out without failing its line, if its name comes before the part that exceeds the limit; so is one that is
        nested too deeply, if it has a name. */
    [[nodiscard]] result<> feed(std::string_view bytes, std::vector<watch_event>& out);
    /// Call at the end of the stream. Errors: cond::unreachable when it ended inside a line, as one that a proxy has cut: the
    /// watch can be resumed. cond::corrupt after another failure.
    [[nodiscard]] result<> finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace kubecoro::detail
