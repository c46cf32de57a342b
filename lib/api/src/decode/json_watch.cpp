#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "json/json_feed.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/status.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

// `{"type":"MODIFIED","object":` and room for unknown members.
constexpr std::size_t envelope_bytes = 1024;
// Maximum bytes that a server writes for one: \u003c for <.
constexpr std::size_t longest_escape = 6;
// Larger line buffers are freed after the line that needed them.
constexpr std::size_t kept_line = std::size_t{1} << 20;

// `type` and `object` in either order.
class event_envelope final : public envelope
{
public:
    /// @param known  Until end_of_list(): ADDED objects are items of a list. Null = no list.
    event_envelope(encoding* encoding, const selection& known) noexcept : encoding_(encoding), known_(known) {}

    void end_of_list() noexcept { known_.known = nullptr; }

    /// @param type  Set if already known.
    void reset(std::string type = {})
    {
        depth_ = 0;
        field_ = field::other;
        type_ = std::move(type);
        object_ = {};
        left_out_.reset();
        not_wanted_.reset();
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
        const bool is_filtered = known_.selects != nullptr && is_change(event_type_of(type_));
        return is_item() || is_filtered ? verdict::encode_unless_recognised : verdict::encode;
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
            not_wanted_.reset();
        }
        return true;
    }

    bool encoded(const tape_writer& tape) override
    {
        const bool stays = !whole_ && event_type_of(type_) != watch_event_type::deleted;
        const auto use = is_item() ? arrival::at_rest : stays ? arrival::in_use : arrival::in_passing;
        object_ = object_builder::build(tape.bytes(), encoding_, {}, use);
        left_out_.reset();
        not_wanted_.reset();
        return true;
    }

    bool leave_out(left_out_object what) override
    {
        if (!is_change(event_type_of(type_)) || what.key.name.empty()) return false;
        object_ = {};
        if (known_.drops(what.key))
            pass_over(what.resource_version);
        else
            left_out_ = std::make_shared<const left_out_object>(std::move(what));
        return true;
    }

    bool recognise(const item_identity& who) override
    {
        if (who.has_key() && known_.drops(who.key())) {
            pass_over(who.resource_version());
            return true;
        }
        if (!is_item() || !who.is_complete()) return false;
        object_ = known_.find(who.key(), who.uid(), who.resource_version());
        return static_cast<bool>(object_);
    }

    /// True if the type came after the object, which was therefore not pruned.
    [[nodiscard]] bool was_too_late() const noexcept { return whole_ && !is_message(); }
    [[nodiscard]] const std::string& type() const noexcept { return type_; }
    /// True if the object is left out, so that the rest of the event does not matter.
    [[nodiscard]] bool has_left_out() const noexcept { return left_out_ || not_wanted_; }

    result<watch_event> take()
    {
        if (type_.empty()) return failure(cond::corrupt, "event without a type");
        watch_event e;
        e.type = event_type_of(type_);
        if (e.type == watch_event_type::unknown) {
            e.unknown_type = type_.substr(0, unknown_type_bytes);
            e.obj = std::move(object_);
            return e;
        }
        if (object_ && whole_ && is_change(e.type) && known_.drops(object_.key())) { // the type came last
            pass_over(object_.resource_version());
            object_ = {};
        }
        e.left_out = std::move(left_out_);
        e.passed_over = std::move(not_wanted_);
        if (!object_ && !e.left_out && !e.passed_over)
            return failure(cond::corrupt, type_ + " event without an object");
        if (e.type == watch_event_type::error)
            e.status = std::make_shared<const server_status>(read_status(object_.root()));
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

    void pass_over(std::string_view version)
    {
        left_out_.reset();
        not_wanted_ = version;
    }

    verdict refuse(std::string why)
    {
        problem = std::move(why);
        return verdict::refuse;
    }

    /// Bookmarks and errors are messages of the server and are not pruned.
    [[nodiscard]] bool is_message() const noexcept
    {
        const auto type = event_type_of(type_);
        return type == watch_event_type::bookmark || type == watch_event_type::error;
    }

    /// True for an item of a streamed list.
    [[nodiscard]] bool is_item() const noexcept
    {
        return known_.known != nullptr && event_type_of(type_) == watch_event_type::added;
    }

    encoding* encoding_;
    selection known_;
    int depth_ = 0;
    field field_ = field::other;
    bool whole_ = false;
    std::string type_;
    object object_;
    std::shared_ptr<const left_out_object> left_out_;
    /// The version of an object that is passed over.
    std::optional<std::string> not_wanted_;
};

std::string_view without_blanks(std::string_view s) noexcept
{
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = s.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

/// The event for a Status in place of one, which keeps the server's words.
result<watch_event> status_event(std::string_view text, const failure& no_event)
{
    const auto status = decode_object(text);
    if (!status || status->kind() != "Status" || (*status)["status"].as_string() != "Failure") return no_event;
    watch_event e;
    e.type = watch_event_type::error;
    e.status = std::make_shared<const server_status>(read_status(status->root()));
    return e;
}

class json_watch final : public watch_reader
{
public:
    json_watch(const decode_options& options, encoding* e, const known_objects* known)
        : envelope_(e, selection(known)),
          feed_(envelope_, options, 1, encoding::words_of(e)),
          max_line_(longest_escape * std::min(options.limits.max_object_bytes, largest_tape) + envelope_bytes),
          prunes_(options.prunes())
    {
    }

    result<> feed(std::string_view bytes, std::vector<watch_event>& out) override;
    result<> finish() override;

private:
    /// Decodes a line, which may hold several documents.
    result<> decode_line(std::string_view line, std::vector<watch_event>& out)
    {
        std::size_t at = line_start_;
        for (std::string_view rest = without_blanks(line); !rest.empty();) {
            at = line_start_ + static_cast<std::size_t>(rest.data() - line.data());
            envelope_.reset();
            feed_.reset(at);
            const auto taken = feed_.write(rest, false);
            if (!taken) return taken.error();
            if (prunes_ && envelope_.was_too_late()) {
                envelope_.reset(envelope_.type());
                feed_.reset(at);
                if (const auto again = feed_.write(rest, false); !again) return again.error();
            }
            auto event = envelope_.take();
            if (!event) event = status_event(rest.substr(0, *taken), event.error());
            if (!event) return failure(cond::corrupt, event.error().message() + " at byte " + std::to_string(at));
            if (event->ends_initial_events()) envelope_.end_of_list();
            append(std::move(*event), out);
            rest.remove_prefix(*taken);
        }
        line_start_ += line.size() + 1;
        return {};
    }

    /// Buffers a part of a line that is incomplete or too long.
    result<> keep(std::string_view part, std::vector<watch_event>& out)
    {
        const std::size_t room = max_line_ - partial_.size();
        partial_ += part.substr(0, room);
        if (part.size() <= room) return {};
        passed_over_ = max_line_ + part.size() - room;
        return leave_out_line(out);
    }

    /// Leaves out the object of a line that is too long; the rest of the line is skipped.
    result<> leave_out_line(std::vector<watch_event>& out)
    {
        envelope_.reset();
        feed_.reset(line_start_);
        const auto taken = feed_.write(partial_, true);
        if (!taken) return taken.error();
        if (!envelope_.has_left_out())
            return failure(cond::corrupt, "a line is longer than " + std::to_string(max_line_) + " bytes, after byte " +
                                              std::to_string(line_start_));
        auto event = envelope_.take();
        if (!event) return event.error();
        append(std::move(*event), out);
        partial_ = {};
        return {};
    }

    /// Called at the end of a line, with the part not yet buffered.
    result<> end_line(std::string_view line, std::vector<watch_event>& out)
    {
        if (passed_over_) {
            line_start_ += *std::exchange(passed_over_, std::nullopt) + 1;
            return {};
        }
        const auto decoded = decode_line(partial_.empty() ? line : std::string_view(partial_), out);
        if (partial_.capacity() > kept_line) std::string().swap(partial_);
        partial_.clear();
        return decoded;
    }

    event_envelope envelope_;
    json_feed feed_;
    std::size_t max_line_;
    bool prunes_;
    /// The line so far; parsed when its newline has arrived.
    std::string partial_;
    /// Set while the rest of a line is skipped, after its event was returned: the number of its bytes so far.
    std::optional<std::size_t> passed_over_;
    /// Bytes of the stream before the current line.
    std::size_t line_start_ = 0;
};

result<> json_watch::feed(std::string_view bytes, std::vector<watch_event>& out)
{
    while (!bytes.empty()) {
        const auto newline = bytes.find('\n');
        const std::string_view part = bytes.substr(0, newline);
        if (passed_over_) {
            *passed_over_ += part.size();
        } else if (newline == std::string_view::npos || !partial_.empty() || part.size() > max_line_) {
            if (auto kept = keep(part, out); !kept) return kept;
        }
        if (newline == std::string_view::npos) break;
        if (auto decoded = end_line(part, out); !decoded) return decoded;
        bytes.remove_prefix(newline + 1);
    }
    return {};
}

result<> json_watch::finish()
{
    if (!passed_over_ && without_blanks(partial_).empty()) return {};
    return failure(cond::unreachable,
                   "the stream ends inside a line that starts at byte " + std::to_string(line_start_));
}

} // namespace

std::unique_ptr<watch_reader> make_json_watch(const decode_options& options, encoding* e, const known_objects* known)
{
    return std::make_unique<json_watch>(options, e, known);
}

} // namespace kubecoro::detail
