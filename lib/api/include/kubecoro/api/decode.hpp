#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/object_encoding.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// What a decoder accepts, so that no peer can make us allocate without bound.
struct decode_limits
{
    /// Of one object as it is kept: encoded, and no text in it longer than this. Its JSON may be six times as long, as
    /// servers write `<`, `>` and `&` as six bytes: a line of a watch has room for that. A kube-apiserver takes no body
    /// above 3 MiB. A larger object is left out of what it came with, see left_out_object; alone it is cond::corrupt.
    std::size_t max_object_bytes = 4 * 1024 * 1024;
    /// Nesting. CRD schemas reach about 40. At most 512. Anything deeper is cond::corrupt.
    std::size_t max_depth = 200;
    friend bool operator==(const decode_limits&, const decode_limits&) = default;
};

/** Fields to leave out while decoding: they cost no memory and little time. Of an object or list that goes, only the end
    is looked for: whether it is JSON inside is not checked.

    A path is member names separated by dots; `*` stands for every item of a list and every member of an object, and a
    name with a dot in it goes into brackets: `spec.containers.*.env`,
    `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]` (\" and \\ inside for the two). apiVersion,
    kind and metadata's name, namespace, uid and resourceVersion are always kept; bookmarks and Status are not pruned.
    A path that cannot be read fails what is decoded with cond::invalid. */
struct prune_options
{
    /// Only what is at these paths, with all that is in it. Empty = everything. Containers on the way stay, perhaps
    /// empty.
    std::vector<std::string> keep = {};
    /// What is at these paths goes, also from what `keep` names.
    std::vector<std::string> drop = {};
    friend bool operator==(const prune_options&, const prune_options&) = default;
};

/// How answers are decoded: limits, and fields that are left out.
struct decode_options
{
    /// Bounds of what is decoded.
    decode_limits limits = {};
    /// Leave out metadata.managedFields while decoding: about a third of the text, of use to few.
    bool drop_managed_fields = false;
    /// Fields that are left out while decoding.
    prune_options prune = {};
    KUBECORO_NAME_FIRST;

    /// Anything at all is left out.
    [[nodiscard]] bool prunes() const noexcept
    {
        return drop_managed_fields || !prune.keep.empty() || !prune.drop.empty();
    }
    friend bool operator==(const decode_options&, const decode_options&) = default;
};

/// An object that was not decoded because it is beyond decode_limits::max_object_bytes.
struct left_out_object
{
    /// Namespace and name.
    object_key key = {};
    /// The uid, as text.
    std::string uid = {};
    /// The version that was left out.
    std::string resource_version = {};
    /// Which limit.
    std::string why = {};
};

/// One page of a LIST.
struct list_page
{
    /// The objects of the page, in the server's order.
    std::vector<object> items = {};
    /// The version of the list.
    std::string resource_version = {};
    /// Empty on the last page.
    std::string continue_token = {};
    /// How many objects follow this page, if the server says so.
    std::optional<std::int64_t> remaining = {};
    /// The shard selector that the server has followed, as it was sent. Empty also when it does not know of shards, and on
    /// lists of metadata alone, which do not tell.
    std::string shard_selector = {};
    /// As sent: "PodList", "v1".
    std::string kind = {};
    /// The apiVersion of the items.
    std::string api_version = {};
    /// Items that the server has sent and that are not among `items`.
    std::vector<left_out_object> left_out = {};
};

/// The type of a watch event as the server names it.
enum class watch_event_type
{
    added,
    modified,
    deleted,
    bookmark,
    error,
    unknown
};

/// One line of a WATCH.
struct watch_event
{
    /// Its type.
    watch_event_type type = watch_event_type::unknown;
    /// The object; for a bookmark one that has little more than a resource version; null for error, and where left_out is
    /// set.
    object obj = {};
    /// For error: the server's Status.
    server_status status = {};
    /// For unknown: the type as sent, at most 64 bytes.
    std::string unknown_type = {};
    /// added, modified, deleted: the object is too large, and this is what is known of it. Else null.
    std::shared_ptr<const left_out_object> left_out = {};

    /// A bookmark that ends the initial events of a streamed list.
    [[nodiscard]] bool ends_initial_events() const noexcept;
};

/** The objects that whoever asks for a list has already: what is unchanged need not be encoded again. */
class known_objects
{
public:
    virtual ~known_objects() = default;
    /// The object of that name that has this uid and this version, or null. Called while the list is decoded.
    [[nodiscard]] virtual object find(object_key_view key, std::string_view uid,
                                      std::string_view resource_version) const = 0;
};

/** Decodes a list answer as its bytes arrive, in any chunking, with no DOM and no copy of the answer.

    Sans-io. Memory: the encoded items, about 80 bytes for each and in proportion to the text, and a bounded rest: a list
    of which the items beyond the first 4096 have less than 16 bytes each on the average is cond::corrupt. Items without kind and apiVersion get the list's. An item that
    is known, by uid and resource version, becomes the known handle as soon as its metadata has told them; the rest of
    it is passed over unread, and only its end is looked for. After a failure the decoder stays failed. */
class list_decoder
{
public:
    /// @param encoding  What the objects share; null = each stands alone.
    explicit list_decoder(decode_options options = {}, std::shared_ptr<object_encoding> encoding = {},
                          std::shared_ptr<const known_objects> known = {});
    ~list_decoder();
    list_decoder(list_decoder&&) noexcept;
    list_decoder& operator=(list_decoder&&) noexcept;

    /// Errors: cond::corrupt with what is wrong and how far the text was understood (malformed, too deep, invalid UTF-8, not a
    /// list, an object that is too large and whose name does not come before what makes it so).
    [[nodiscard]] result<> feed(std::string_view bytes);
    /// The page. Errors: as feed, and cond::corrupt when the text ended early or has no `items`.
    [[nodiscard]] result<list_page> finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

/** Decodes a watch answer: JSON documents separated by newlines, in any chunking.

    Sans-io. Events of complete lines are handed out at once; the rest waits, bounded by the limits. */
class watch_decoder
{
public:
    /// @param encoding  What the objects share; null = each stands alone.
    /// @param known     Given: the answer begins with a streamed list. Up to the bookmark that ends it, added objects are
    ///                  treated as the items of a list are, and what is known is not encoded again.
    explicit watch_decoder(decode_options options = {}, std::shared_ptr<object_encoding> encoding = {},
                           std::shared_ptr<const known_objects> known = {});
    ~watch_decoder();
    watch_decoder(watch_decoder&&) noexcept;
    watch_decoder& operator=(watch_decoder&&) noexcept;

    /** Appends the events completed by `bytes`.

        Events before a broken line are appended, then the failure is returned (cond::corrupt); the decoder stays
        failed. An object that is too large is left out and does not break its line, if its name comes before what makes
        it so. */
    [[nodiscard]] result<> feed(std::string_view bytes, std::vector<watch_event>& out);
    /// To be called at the end of the stream. Errors: cond::corrupt when it ended inside a line.
    [[nodiscard]] result<> finish();

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// One object from one JSON text. Errors: cond::corrupt.
[[nodiscard]] result<object> decode_object(std::string_view json, const decode_options& options = {},
                                           const std::shared_ptr<object_encoding>& encoding = {});

} // namespace kubecoro
