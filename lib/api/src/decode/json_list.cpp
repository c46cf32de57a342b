#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "json/json_feed.hpp"
#include "storage/object_block.hpp"

#include <utility>

namespace kubecoro::detail {
namespace {

// "PodList" -> "Pod"; empty when the list's kind does not determine its items'.
std::string_view item_kind(std::string_view list_kind) noexcept
{
    if (!list_kind.ends_with(list_suffix)) return {};
    return list_kind.substr(0, list_kind.size() - list_suffix.size());
}

// Open containers around an item.
constexpr int items_depth = 2;

// The envelope of a list: members in any order, with the kind possibly after the items.
class list_envelope final : public envelope
{
public:
    list_envelope(encoding* encoding, const selection& known) noexcept : encoding_(encoding), known_(known) {}

    verdict open(bool is_object) override
    {
        switch (depth_) {
        case 0:
            return is_object ? enter() : refuse("expected a list, got an array");
        case 1:
            if (field_ == field::items) return is_object ? refuse("`items` is not an array") : enter_items();
            if (field_ == field::metadata)
                return is_object ? verdict::encode_whole : refuse("`metadata` is not an object");
            return verdict::skip;
        default:
            if (!is_object) return refuse(item_problem());
            ++place_;
            return known_.judges() ? verdict::encode_unless_recognised : verdict::encode;
        }
    }

    void close() override { --depth_; }

    void key(std::string_view text) override
    {
        field_ = text == "items"        ? field::items
                 : text == "metadata"   ? field::metadata
                 : text == "kind"       ? field::kind
                 : text == "apiVersion" ? field::api_version
                                        : field::other;
    }

    bool scalar(value_kind kind, std::string_view text) override
    {
        if (depth_ == 0) return refuse("expected a list") == verdict::descend;
        if (depth_ == items_depth)
            return kind == value_kind::null ? leave_out_null() : refuse(item_problem()) == verdict::descend;
        switch (field_) {
        case field::items:
            if (kind != value_kind::null) return refuse("`items` is not an array") == verdict::descend;
            begin_items();
            break;
        case field::metadata:
            if (kind != value_kind::null) return refuse("`metadata` is not an object") == verdict::descend;
            break;
        case field::kind:
            if (kind == value_kind::string) page.kind = text;
            types_.reset();
            break;
        case field::api_version:
            if (kind == value_kind::string) page.api_version = text;
            types_.reset();
            break;
        case field::other:
            break;
        }
        return true;
    }

    /// The list has begun and not ended, and nothing in it is wrong so far.
    [[nodiscard]] bool is_amid() const noexcept { return depth_ != 0 && problem.empty(); }
    /// @param received  Bytes of the list so far, including those that are fed next.
    void allow_items(std::size_t received) noexcept { most_items_ = most_items(received); }

    bool encoded(const tape_writer& tape) override
    {
        const auto bytes = tape.bytes();
        if (depth_ == 1) {
            read_metadata(tape_access::view(bytes.data(), bytes.data() + bytes.size(), encoding::words_of(encoding_)));
            return true;
        }
        if (page.items.size() + nulls_ >= most_items_) return refuse_so_many();
        has_incomplete_ = has_incomplete_ || page.kind.empty() || page.api_version.empty();
        if (!types_) {
            const std::string_view kind = item_kind(page.kind);
            types_.emplace(encoding_, kind, kind.empty() ? std::string_view{} : page.api_version);
        }
        page.items.push_back(object_builder::build(bytes, encoding_, *types_, arrival::at_rest));
        return true;
    }

    bool recognise(const item_identity& who) override
    {
        if (who.has_key() && known_.drops(who.key())) return true;
        if (!who.is_complete()) return false;
        object same = known_.find(who.key(), who.uid(), who.resource_version());
        if (!same) return false;
        page.items.push_back(std::move(same));
        return true;
    }

    bool leave_out(left_out_object item) override
    {
        // A caller that replaces the content of a store must know which object to leave unchanged.
        if (depth_ != items_depth || item.key.name.empty()) return false;
        if (!known_.drops(item.key)) page.left_out.push_back(std::move(item));
        return true;
    }

    // Completes items that came before the list's kind and apiVersion.
    void complete_items()
    {
        const std::string_view kind = item_kind(page.kind);
        if (kind.empty() || !has_incomplete_) return;
        for (object& item : page.items) {
            if (item["kind"] && (item["apiVersion"] || page.api_version.empty())) continue;
            item = object_builder::with_type(item, kind, page.api_version);
        }
    }

    list_page page;
    bool has_items = false;

private:
    enum class field
    {
        other,
        kind,
        api_version,
        metadata,
        items
    };

    verdict enter()
    {
        ++depth_;
        return verdict::descend;
    }

    void begin_items()
    {
        has_items = true;
        place_ = nulls_ = 0;
        page.items.clear();
        page.left_out.clear();
    }

    verdict enter_items()
    {
        begin_items();
        return enter();
    }

    verdict refuse(std::string why)
    {
        problem = std::move(why);
        return verdict::refuse;
    }

    [[nodiscard]] std::string item_problem() const { return "item " + std::to_string(place_) + " is not an object"; }

    bool refuse_so_many() { return refuse("too many items for the length of the text") == verdict::descend; }

    /// Costs the item and not the list: no object is missing in the rest.
    bool leave_out_null()
    {
        if (page.items.size() + nulls_ >= most_items_) return refuse_so_many();
        ++nulls_;
        left_out_object nothing;
        nothing.why = "item " + std::to_string(place_++) + " of the list is null";
        page.left_out.push_back(std::move(nothing));
        return true;
    }

    void read_metadata(value_view metadata)
    {
        page.resource_version = metadata["resourceVersion"].as_string();
        page.continue_token = metadata["continue"].as_string();
        page.shard_selector = metadata["shardInfo"]["selector"].as_string();
        page.remaining.reset();
        const value_view remaining = metadata["remainingItemCount"];
        if (remaining.kind() == value_kind::integer) page.remaining = remaining.as_int64();
    }

    encoding* encoding_;
    /// Made from the current kind and apiVersion.
    std::optional<type_members> types_;
    const selection known_;
    int depth_ = 0;
    field field_ = field::other;
    std::size_t most_items_ = items_for_free;
    /// Number of items so far, and of those that are null.
    std::size_t place_ = 0;
    std::size_t nulls_ = 0;
    /// An item came before the list's kind and apiVersion.
    bool has_incomplete_ = false;
};

class json_list final : public list_reader
{
public:
    json_list(const decode_options& options, encoding* e, const known_objects* known)
        : envelope_(e, selection(known)), feed_(envelope_, options, 2, encoding::words_of(e))
    {
    }

    result<> feed(std::string_view bytes) override;
    result<list_page> finish() override;

private:
    list_envelope envelope_;
    json_feed feed_;
    std::size_t received_ = 0;
};

result<> json_list::feed(std::string_view bytes)
{
    envelope_.allow_items(received_ + bytes.size());
    if (bytes.empty()) return {};
    const auto taken = feed_.write(bytes, true);
    if (!taken) return taken.error();
    received_ += *taken;
    if (*taken != bytes.size())
        return failure(cond::corrupt, "unexpected text after the list, at byte " + std::to_string(received_));
    return {};
}

result<list_page> json_list::finish()
{
    // Nothing at all is no list. The beginning of one is a broken transfer, however properly its body ended.
    if (const auto ended = feed_.write("", false); !ended)
        return failure(envelope_.is_amid() ? cond::unreachable : cond::corrupt, ended.error().message());
    if (!envelope_.has_items) {
        const std::string& kind = envelope_.page.kind;
        if (kind.ends_with(list_suffix)) return failure(cond::corrupt, "the " + kind + " has no items");
        return failure(cond::corrupt, kind.empty() ? "expected a list, got neither kind nor items"
                                                   : "expected a list, got kind " + kind);
    }
    envelope_.complete_items();
    return std::move(envelope_.page);
}

} // namespace

std::unique_ptr<list_reader> make_json_list(const decode_options& options, encoding* e, const known_objects* known)
{
    return std::make_unique<json_list>(options, e, known);
}

} // namespace kubecoro::detail
