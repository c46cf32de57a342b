#include "decode/json_feed.hpp"
#include "decode/left_out.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/status.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro {
namespace {

// `{"type":"MODIFIED","object":` and room for unknown members.
constexpr std::size_t envelope_bytes = 1024;
// Maximum bytes that a server writes for one: \u003c for <.
constexpr std::size_t longest_escape = 6;
constexpr std::size_t unknown_type_bytes = 64;
// Larger line buffers are freed after the line that needed them.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

watch_event_type type_of(std::string_view text) noexcept
{
    if (text == "ADDED") return watch_event_type::added;
    if (text == "MODIFIED") return watch_event_type::modified;
    if (text == "DELETED") return watch_event_type::deleted;
    if (text == "BOOKMARK") return watch_event_type::bookmark;
    if (text == "ERROR") return watch_event_type::error;
    return watch_event_type::unknown;
}

// `type` and `object` in either order.
class event_envelope final : public detail::envelope
{
public:
    /// @param known  Until end_of_list(): ADDED objects are items of a list. Null = no list.
    event_envelope(detail::encoding* encoding, const known_objects* known) noexcept : encoding_(encoding), known_(known)
    {
    }

    void end_of_list() noexcept { known_ = nullptr; }

    /// @param type  Set if already known.
    void reset(std::string type = {})
    {
        depth_ = 0;
        field_ = field::other;
        type_ = std::move(type);
        object_ = {};
        left_out_.reset();
        whole_ = false;
    }

    verdict open(bool is_object) override
    {
        if (depth_ == 0) {
            if (!is_object) return refuse("expected an event, got an array");
            depth_ = 1;
            return verdict::descend;
        }
        if (field_ == field::type) return refuse("`type` is not a string");
        if (field_ != field::object) return verdict::skip;
        if (!is_object) return refuse("`object` is not an object");
        whole_ = type_.empty() || is_message();
        if (whole_) return verdict::encode_whole;
        return is_item() ? verdict::encode_unless_known : verdict::encode;
    }

    void close() override { --depth_; }

    void key(std::string_view text) override
    {
        field_ = text == "type" ? field::type : text == "object" ? field::object : field::other;
    }

    bool scalar(value_kind kind, std::string_view text) override
    {
        if (depth_ == 0) return refuse("expected an event") == verdict::descend;
        if (field_ == field::type) {
            if (kind != value_kind::string) return refuse("`type` is not a string") == verdict::descend;
            type_ = text;
        }
        if (field_ == field::object) {
            if (kind != value_kind::null) return refuse("`object` is not an object") == verdict::descend;
            object_ = {};
            left_out_.reset();
        }
        return true;
    }

    bool encoded(const detail::tape_writer& tape) override
    {
        const bool stays = !whole_ && type_of(type_) != watch_event_type::deleted;
        const auto use = is_item() ? arrival::at_rest : stays ? arrival::in_use : arrival::in_passing;
        object_ = object_builder::build(tape.bytes(), encoding_, {}, use);
        left_out_.reset();
        return true;
    }

    bool leave_out(value_view metadata) override
    {
        auto what = detail::left_out(metadata, problem);
        if (!is_change() || what.key.name.empty()) return false;
        object_ = {};
        left_out_ = std::make_shared<const left_out_object>(std::move(what));
        return true;
    }

    bool recognise(const detail::item_identity& who) override
    {
        object_ = known_->find(who.key(), who.uid(), who.resource_version());
        return static_cast<bool>(object_);
    }

    /// True if the type came after the object, which was therefore not pruned.
    [[nodiscard]] bool was_too_late() const noexcept { return whole_ && !is_message(); }
    [[nodiscard]] const std::string& type() const noexcept { return type_; }
    /// True if the object is left out, so that the rest of the event does not matter.
    [[nodiscard]] bool has_left_out() const noexcept { return left_out_ != nullptr; }

    result<watch_event> take()
    {
        if (type_.empty()) return failure(cond::corrupt, "event without a type");
        watch_event e;
        e.type = type_of(type_);
        if (e.type == watch_event_type::unknown) {
            e.unknown_type = type_.substr(0, unknown_type_bytes);
            e.obj = std::move(object_);
            return e;
        }
        e.left_out = std::move(left_out_);
        if (!object_ && !e.left_out) return failure(cond::corrupt, type_ + " event without an object");
        if (e.type == watch_event_type::error)
            e.status = read_status(object_.root());
        else
            e.obj = std::move(object_);
        return e;
    }

private:
    enum class field
    {
        other,
        type,
        object
    };

    verdict refuse(std::string why)
    {
        problem = std::move(why);
        return verdict::refuse;
    }

    /// Bookmarks and errors are messages of the server and are not pruned.
    [[nodiscard]] bool is_message() const noexcept
    {
        const auto type = type_of(type_);
        return type == watch_event_type::bookmark || type == watch_event_type::error;
    }

    [[nodiscard]] bool is_change() const noexcept
    {
        const auto type = type_of(type_);
        return type == watch_event_type::added || type == watch_event_type::modified ||
               type == watch_event_type::deleted;
    }

    /// True for an item of a streamed list.
    [[nodiscard]] bool is_item() const noexcept
    {
        return known_ != nullptr && type_of(type_) == watch_event_type::added;
    }

    detail::encoding* encoding_;
    const known_objects* known_;
    int depth_ = 0;
    field field_ = field::other;
    bool whole_ = false;
    std::string type_;
    object object_;
    std::shared_ptr<const left_out_object> left_out_;
};

std::string_view without_blanks(std::string_view s) noexcept
{
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = s.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

} // namespace

struct watch_decoder::state
{
    state(const decode_options& options, std::shared_ptr<detail::object_encoding> e,
          std::shared_ptr<const known_objects> k)
        : encoding(std::move(e)),
          known(std::move(k)),
          envelope(detail::encoding::of(encoding), known.get()),
          feed(envelope, options, 1, detail::encoding::words_of(encoding)),
          max_line(longest_escape * std::min(options.limits.max_object_bytes, detail::largest_tape) + envelope_bytes),
          prunes(options.prunes())
    {
    }

    failure fail(const failure& f)
    {
        failed = failure(f.condition(), "watch response: " + f.message());
        partial = {};
        return *failed;
    }

    /// Decodes a line, which may hold several documents.
    result<> decode_line(std::string_view line, std::vector<watch_event>& out)
    {
        std::size_t at = line_start;
        for (std::string_view rest = without_blanks(line); !rest.empty();) {
            at = line_start + static_cast<std::size_t>(rest.data() - line.data());
            envelope.reset();
            feed.reset(at);
            const auto taken = feed.write(rest, false);
            if (!taken) return taken.error();
            if (prunes && envelope.was_too_late()) {
                envelope.reset(envelope.type());
                feed.reset(at);
                if (const auto again = feed.write(rest, false); !again) return again.error();
            }
            auto event = envelope.take();
            if (!event) return failure(cond::corrupt, event.error().message() + " at byte " + std::to_string(at));
            if (event->ends_initial_events()) envelope.end_of_list();
            out.push_back(std::move(*event));
            rest.remove_prefix(*taken);
        }
        line_start += line.size() + 1;
        return {};
    }

    /// Buffers a part of a line that is incomplete or too long.
    result<> keep(std::string_view part, std::vector<watch_event>& out)
    {
        const std::size_t room = max_line - partial.size();
        partial += part.substr(0, room);
        if (part.size() <= room) return {};
        passed_over = max_line + part.size() - room;
        return leave_out_line(out);
    }

    /// Leaves out the object of a line that is too long; the rest of the line is skipped.
    result<> leave_out_line(std::vector<watch_event>& out)
    {
        envelope.reset();
        feed.reset(line_start);
        const auto taken = feed.write(partial, true);
        if (!taken) return taken.error();
        if (!envelope.has_left_out())
            return failure(cond::corrupt, "a line is longer than " + std::to_string(max_line) + " bytes, after byte " +
                                              std::to_string(line_start));
        auto event = envelope.take();
        if (!event) return event.error();
        out.push_back(std::move(*event));
        partial = {};
        return {};
    }

    /// Called at the end of a line, with the part not yet buffered.
    result<> end_line(std::string_view line, std::vector<watch_event>& out)
    {
        if (passed_over) {
            line_start += *std::exchange(passed_over, std::nullopt) + 1;
            return {};
        }
        const auto decoded = decode_line(partial.empty() ? line : std::string_view(partial), out);
        if (partial.capacity() > kept_capacity) std::string().swap(partial);
        partial.clear();
        return decoded;
    }

    std::shared_ptr<detail::object_encoding> encoding;
    std::shared_ptr<const known_objects> known;
    event_envelope envelope;
    detail::json_feed feed;
    std::size_t max_line;
    bool prunes;
    /// The line so far; parsed when its newline has arrived.
    std::string partial;
    /// Set while the rest of a line is skipped, after its event was returned: the number of its bytes so far.
    std::optional<std::size_t> passed_over;
    /// Bytes of the stream before the current line.
    std::size_t line_start = 0;
    std::optional<failure> failed;
};

watch_decoder::watch_decoder(decode_options options, std::shared_ptr<detail::object_encoding> encoding,
                             std::shared_ptr<const known_objects> known)
    : state_(std::make_unique<state>(options, std::move(encoding), std::move(known)))
{
}
watch_decoder::~watch_decoder() = default;
watch_decoder::watch_decoder(watch_decoder&&) noexcept = default;
watch_decoder& watch_decoder::operator=(watch_decoder&&) noexcept = default;

result<> watch_decoder::feed(std::string_view bytes, std::vector<watch_event>& out)
{
    state& s = *state_;
    if (s.failed) return *s.failed;
    while (!bytes.empty()) {
        const auto newline = bytes.find('\n');
        const std::string_view part = bytes.substr(0, newline);
        if (s.passed_over) {
            *s.passed_over += part.size();
        } else if (newline == std::string_view::npos || !s.partial.empty() || part.size() > s.max_line) {
            if (auto kept = s.keep(part, out); !kept) return s.fail(kept.error());
        }
        if (newline == std::string_view::npos) break;
        if (auto decoded = s.end_line(part, out); !decoded) return s.fail(decoded.error());
        bytes.remove_prefix(newline + 1);
    }
    return {};
}

result<> watch_decoder::finish()
{
    state& s = *state_;
    if (s.failed) return *s.failed;
    if (s.passed_over || !without_blanks(s.partial).empty())
        return s.fail(failure(cond::corrupt,
                              "the stream ends inside a line that starts at byte " + std::to_string(s.line_start)));
    return {};
}

bool watch_event::ends_initial_events() const noexcept
{
    return type == watch_event_type::bookmark && obj.annotations()["k8s.io/initial-events-end"].as_string() == "true";
}

} // namespace kubecoro
