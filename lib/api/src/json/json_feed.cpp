#include "json/json_feed.hpp"

#include "json/json_scanner.hpp"
#include "json/tape_sink.hpp"

#include <algorithm>
#include <utility>

namespace kubecoro::detail {
namespace {

// Maximum length kept of a key or text of the envelope: all relevant ones are shorter.
constexpr std::size_t envelope_text = 4096;

/// @param metadata  Absent if unknown.
left_out_object left_out(value_view metadata, std::string why)
{
    left_out_object o;
    o.key = {std::string(metadata["namespace"].as_string()), std::string(metadata["name"].as_string())};
    o.uid = metadata["uid"].as_string();
    o.resource_version = metadata["resourceVersion"].as_string();
    o.why = std::move(why);
    return o;
}

/// Passes events to the envelope. Stops at a container that is not descended into, and when the envelope refuses.
class envelope_sink
{
public:
    explicit envelope_sink(envelope& owner) noexcept : owner_(owner) {}

    [[nodiscard]] bool begin(bool is_object)
    {
        is_object_ = is_object;
        answer_ = owner_.open(is_object);
        return answer_ == envelope::verdict::descend;
    }
    [[nodiscard]] bool end()
    {
        owner_.close();
        return true;
    }
    [[nodiscard]] bool key(std::string_view text)
    {
        owner_.key(text.substr(0, envelope_text));
        return true;
    }
    [[nodiscard]] bool string(std::string_view text)
    {
        return scalar(value_kind::string, text.substr(0, envelope_text));
    }
    [[nodiscard]] bool integer(std::int64_t) { return scalar(value_kind::integer); }
    [[nodiscard]] bool number(std::string_view) { return scalar(value_kind::number); }
    [[nodiscard]] bool boolean(bool) { return scalar(value_kind::boolean); }
    [[nodiscard]] bool null() { return scalar(value_kind::null); }

    [[nodiscard]] static bool may_repeat() noexcept { return false; }
    [[nodiscard]] static std::size_t repeat(std::string_view) noexcept { return 0; }
    [[nodiscard]] static std::size_t room(bool) noexcept { return envelope_text; }
    [[nodiscard]] static bool overflows(bool) noexcept { return true; }

    /// Why it stopped; if not `refuse`, a container has begun.
    [[nodiscard]] envelope::verdict answer() const noexcept { return answer_; }
    [[nodiscard]] bool is_object() const noexcept { return is_object_; }

private:
    [[nodiscard]] bool scalar(value_kind kind, std::string_view text = {})
    {
        answer_ = envelope::verdict::refuse;
        return owner_.scalar(kind, text);
    }

    envelope& owner_;
    envelope::verdict answer_ = envelope::verdict::refuse;
    bool is_object_ = false;
};

/// Writes an object to its tape. Stops also after the end of the object, and when its owner recognises it.
class object_sink : public tape_sink
{
public:
    object_sink(envelope& owner, pruned_tape& tape, std::size_t max_text) noexcept
        : tape_sink(tape, max_text), owner_(owner), tape_(tape)
    {
    }

    /// Prepares for the next object. @param identify  Its owner may recognise it.
    void prepare(bool identify) noexcept
    {
        identifying_ = identify;
        recognised_ = false;
        if (identify) identity_.begin();
    }
    [[nodiscard]] bool end()
    {
        if (identifying_ && identity_.end(tape_.depth())) {
            recognised_ = owner_.recognise(identity_);
            identifying_ = false;
        }
        return !recognised_ && tape_sink::end() && tape_.depth() != 0;
    }
    [[nodiscard]] bool key(std::string_view text)
    {
        if (identifying_) identity_.key(tape_.depth(), text);
        return tape_sink::key(text);
    }
    [[nodiscard]] bool put_predicted_key(std::string_view text)
    {
        if (identifying_) identity_.key(tape_.depth(), text);
        return tape_sink::put_predicted_key(text);
    }
    [[nodiscard]] bool string(std::string_view text)
    {
        if (identifying_ && identity_.string(tape_.depth(), text)) recognised_ = owner_.recognise(identity_);
        return !recognised_ && tape_sink::string(text);
    }
    [[nodiscard]] bool is_recognised() const noexcept { return recognised_; }

private:
    envelope& owner_;
    const pruned_tape& tape_;
    bool identifying_ = false;
    bool recognised_ = false;
    item_identity identity_;
};

/// Passes over numbers, booleans and null, and keeps no repetitions. Its container events decide what is skipped.
class skipping_sink
{
public:
    [[nodiscard]] static bool integer(std::int64_t) noexcept { return true; }
    [[nodiscard]] static bool number(std::string_view) noexcept { return true; }
    [[nodiscard]] static bool boolean(bool) noexcept { return true; }
    [[nodiscard]] static bool null() noexcept { return true; }
    [[nodiscard]] static bool may_repeat() noexcept { return false; }
    [[nodiscard]] static std::size_t repeat(std::string_view) noexcept { return 0; }
    [[nodiscard]] static bool overflows(bool) noexcept { return true; }

    /// True once after the beginning of a container that is to be skipped.
    [[nodiscard]] bool take_skipped() noexcept { return std::exchange(skips_, false); }

protected:
    bool skips_ = false;
};

/// Collects the identity of an object that is left out. Stops at containers without a part of it, which are to be
/// skipped, and after the end of the object.
class outline_sink : public skipping_sink
{
public:
    /// Continues where the tape ended. @return the number of containers, from the object on, that are still open.
    std::size_t prepare(const tape_writer& tape)
    {
        identity_.begin();
        depth_ = 1;
        if (!tape.is_in_metadata()) return depth_;
        identity_.key(depth_, "metadata");
        ++depth_;
        for (const char* const name : {"name", "namespace", "uid", "resourceVersion"}) {
            identity_.key(depth_, name);
            const value_view known = tape.complete_member(name, depth_);
            if (known.is_string()) (void)identity_.string(depth_, known.as_string());
        }
        return depth_;
    }
    [[nodiscard]] bool begin(bool) noexcept
    {
        skips_ = depth_ != 1 || !identity_.is_in_metadata();
        if (!skips_) ++depth_;
        return !skips_;
    }
    [[nodiscard]] bool end() noexcept
    {
        (void)identity_.end(depth_);
        return --depth_ != 0;
    }
    [[nodiscard]] bool key(std::string_view text) noexcept
    {
        identity_.key(depth_, text);
        return true;
    }
    [[nodiscard]] bool string(std::string_view text)
    {
        (void)identity_.string(depth_, text);
        return true;
    }
    [[nodiscard]] static std::size_t room(bool) noexcept { return envelope_text; }

    [[nodiscard]] left_out_object left_out(std::string why) const
    {
        left_out_object o;
        o.key = object_key(identity_.key());
        o.uid = identity_.uid();
        o.resource_version = identity_.resource_version();
        o.why = std::move(why);
        return o;
    }

private:
    item_identity identity_;
    std::size_t depth_ = 0;
};

/// Drops all events. Stops at containers that are too deep, which are to be skipped, and after the end of some
/// containers.
class ignoring_sink : public skipping_sink
{
public:
    explicit ignoring_sink(std::size_t deepest_level) noexcept : deepest_level_(deepest_level) {}

    void prepare(std::size_t levels) noexcept { levels_ = levels; }
    [[nodiscard]] bool begin(bool) noexcept
    {
        skips_ = levels_ >= deepest_level_;
        if (!skips_) ++levels_;
        return !skips_;
    }
    [[nodiscard]] bool end() noexcept { return --levels_ != 0; }
    [[nodiscard]] static bool key(std::string_view) noexcept { return true; }
    [[nodiscard]] static bool string(std::string_view) noexcept { return true; }
    [[nodiscard]] static std::size_t room(bool) noexcept { return 0; }

private:
    std::size_t deepest_level_;
    std::size_t levels_ = 0;
};

} // namespace

struct json_feed::impl
{
    impl(envelope& e, const decode_options& o, std::size_t outer, vocabulary* words)
        : owner(e),
          max_object_bytes(o.limits.max_object_bytes),
          filter(field_filter::compile(o)),
          tape(o.limits, filter ? *filter : nothing, words),
          // One level more than the tape allows, so that the tape's error is reported.
          scanner(std::min(o.limits.max_depth, deepest) + outer + 1),
          around(e),
          object(e, tape, max_object_bytes),
          ignored(std::min(o.limits.max_depth, deepest))
    {
    }

    /// @return stopped: the document fails.
    json_scanner::outcome scan(const char*& at, const char* end, bool more)
    {
        for (;;) {
            auto o = scan_here(at, end);
            if (o == json_scanner::outcome::unfinished && !more) o = scanner.finish(around);
            if (o != json_scanner::outcome::stopped || !go_on()) return o;
        }
    }

    json_scanner::outcome scan_here(const char*& at, const char* end)
    {
        switch (where) {
        case place::object:
            return scanner.run(at, end, object);
        case place::outline:
            return scanner.run(at, end, outline);
        case place::ignored:
            return scanner.run(at, end, ignored);
        case place::around:
            break;
        }
        return scanner.run(at, end, around);
    }

    /// Called when a sink has stopped. @return false: the document fails.
    bool go_on()
    {
        switch (where) {
        case place::object:
            return leave_object();
        case place::outline:
            return leave_outline();
        case place::ignored:
            if (ignored.take_skipped())
                scanner.skip(1);
            else
                where = place::around;
            return true;
        case place::around:
            break;
        }
        return enter(around.answer());
    }

    bool enter(envelope::verdict how)
    {
        if (how == envelope::verdict::refuse) return false;
        outer_depth = scanner.depth() - 1;
        if (how == envelope::verdict::skip) {
            ignore();
            return true;
        }
        where = place::object;
        tape.clear(how != envelope::verdict::encode_whole);
        object.prepare(how == envelope::verdict::encode_unless_recognised);
        return object.begin(around.is_object()) || leave_out();
    }

    bool leave_object()
    {
        if (object.take_left_out()) {
            scanner.skip(1);
            return true;
        }
        if (object.is_recognised()) {
            pass_over();
            return true;
        }
        if (tape.depth() != 0 || tape.tape().problem() != tape_writer::trouble::none) return leave_out();
        where = place::around;
        return owner.encoded(tape.tape());
    }

    /// The current object exceeds a limit. Scanning continues if its owner leaves it out.
    bool leave_out()
    {
        const bool too_deep = tape.too_deep();
        owner.problem =
            too_deep ? "nested too deeply" : "an object is larger than " + std::to_string(max_object_bytes) + " bytes";
        const value_view metadata = tape.tape().complete_member("metadata");
        if (too_deep && !metadata) return enter_outline();
        if (!owner.leave_out(left_out(metadata, owner.problem))) return false;
        owner.problem.clear();
        // The scanner has the same depth limit.
        if (too_deep)
            pass_over();
        else
            ignore();
        return true;
    }

    /// The name of an object that is nested too deeply may follow: any tenant can write one, so the list must not fail.
    bool enter_outline()
    {
        where = place::outline;
        const std::size_t levels = scanner.depth() - outer_depth;
        const std::size_t open = outline.prepare(tape.tape());
        if (levels > open) scanner.skip(levels - open);
        return true;
    }

    bool leave_outline()
    {
        if (outline.take_skipped()) {
            scanner.skip(1);
            return true;
        }
        where = place::around;
        if (!owner.leave_out(outline.left_out(owner.problem))) return false;
        owner.problem.clear();
        return true;
    }

    /// Skips the rest of the value that the envelope did not descend into, without validating it.
    void pass_over() noexcept
    {
        where = place::around;
        scanner.skip(scanner.depth() - outer_depth);
    }

    /// Validates the rest of the value that the envelope did not descend into.
    void ignore() noexcept
    {
        const std::size_t levels = scanner.depth() - outer_depth;
        where = levels == 0 ? place::around : place::ignored;
        ignored.prepare(levels);
    }

    [[nodiscard]] std::string reason(json_scanner::outcome o) const
    {
        if (!owner.problem.empty()) return owner.problem;
        if (o == json_scanner::outcome::unfinished) return "unexpected end of text";
        if (scanner.is_too_deep()) return scanner.problem();
        return std::string("malformed JSON (") + scanner.problem() + ")";
    }

    enum class place
    {
        around,
        object,
        outline,
        ignored
    };

    envelope& owner;
    std::size_t max_object_bytes;
    const field_filter nothing;
    const result<field_filter> filter;
    pruned_tape tape;
    json_scanner scanner;
    envelope_sink around;
    object_sink object;
    outline_sink outline;
    ignoring_sink ignored;
    place where = place::around;
    /// Open containers around the value that the envelope did not descend into.
    std::size_t outer_depth = 0;
    std::size_t offset = 0;
    /// Stays set when a call is left by an exception.
    bool at_work = false;
};

json_feed::json_feed(envelope& owner, const decode_options& options, std::size_t outer_depth, vocabulary* words)
    : impl_(std::make_unique<impl>(owner, options, outer_depth, words))
{
}

json_feed::~json_feed() = default;

void json_feed::reset(std::size_t offset)
{
    impl_->scanner.reset();
    impl_->where = impl::place::around;
    impl_->owner.problem.clear();
    impl_->offset = offset;
    impl_->at_work = false;
}

result<std::size_t> json_feed::write(std::string_view bytes, bool more)
{
    using outcome = json_scanner::outcome;
    if (!impl_->filter) return impl_->filter.error();
    // A part of the text may have been lost: the document must not be taken as complete.
    if (std::exchange(impl_->at_work, true))
        return failure(cond::corrupt, "an exception ended the decoding after byte " + std::to_string(impl_->offset));
    const char* at = bytes.data();
    const outcome o = impl_->scan(at, at + bytes.size(), more);
    const auto taken = static_cast<std::size_t>(at - bytes.data());
    impl_->offset += taken;
    impl_->at_work = false;
    if (o == outcome::complete || (o == outcome::unfinished && more)) return taken;
    return failure(cond::corrupt, impl_->reason(o) + " after byte " + std::to_string(impl_->offset));
}

} // namespace kubecoro::detail
