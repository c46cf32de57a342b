#include "decode/json_feed.hpp"

#include "decode/json_failure.hpp"
#include "decode/json_skipper.hpp"
#include "decode/nesting.hpp"
#include "decode/surrogates.hpp"
#include "tape/pruned_tape.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <functional>
#include <utility>

namespace kubecoro::detail {
namespace {
using boost::json::string_view;
using code = boost::json::error_code;

// Maximum length kept of a key or text of the envelope: all relevant ones are shorter.
constexpr std::size_t envelope_text = 4096;

// Larger scratch buffers are freed before the next object.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

std::string_view std_view(string_view s) noexcept { return {s.data(), s.size()}; }

class handler
{
public:
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

    /// @param filter  Outlives the handler.
    handler(envelope& owner, const decode_options& o, const field_filter& filter, vocabulary* words)
        : owner_(owner), max_text_(o.limits.max_object_bytes), tape_(o.limits, filter, words), writer_(tape_.writer())
    {
    }

    void reset()
    {
        text_.clear();
        skipped_.clear();
        interrupted_ = 0;
        left_out_ = behind_key_ = encoding_ = direct_ = false;
        last_ = nullptr;
        outside_.clear();
        tape_.clear(false);
    }

    /// Number of open containers of a recognised object.
    [[nodiscard]] std::size_t interrupted() const noexcept { return interrupted_; }
    /// True if a container that is not to be parsed has begun.
    [[nodiscard]] bool left_out() const noexcept { return left_out_; }
    /// The containers descended into.
    [[nodiscard]] const nesting& outside() const noexcept { return outside_; }
    /// All open containers.
    [[nodiscard]] nesting around() const
    {
        nesting all = outside_;
        encoding_ ? all.enter_all_of(writer_) : all.enter_all_of(skipped_);
        return all;
    }
    /// Between these two calls, the parser is fed the text that restores its position, and its events are ignored.
    void begin_resuming() noexcept
    {
        resuming_ = true;
        interrupted_ = 0;
        left_out_ = false;
        last_ = nullptr;
        direct_ = false;
    }
    void end_resuming() noexcept
    {
        resuming_ = false;
        look_around();
    }

    /// Sets the parser's next input.
    void show(std::string_view input) noexcept
    {
        input_ = input;
        last_ = input.data();
        shown_ = text_.size();
    }
    /// Discards what was read of the current string since show(), or all of it. @return text that reopens its context.
    [[nodiscard]] std::string begin_string_again(bool whole)
    {
        text_.resize(whole ? 0 : std::min(shown_, text_.size())); // the text of a dropped object is gone
        const nesting open = around();
        return open.with_string(encoding_ ? !tape_.awaits_value() : open.in_object() && !behind_key_);
    }
    /// Bytes consumed when the parser was stopped after a value that is already written; 0 = it was not.
    [[nodiscard]] std::size_t take_repeated() noexcept { return std::exchange(repeated_, 0); }

    bool on_document_begin(code&) { return true; }
    bool on_document_end(code&) { return true; }

    bool on_object_begin(code& ec) { return direct_ ? checked(writer_.begin_object(), ec) : begin(true, ec); }
    bool on_array_begin(code& ec) { return direct_ ? checked(writer_.begin_array(), ec) : begin(false, ec); }
    bool on_object_end(std::size_t, code& ec) { return ends_direct() ? checked(writer_.end(), ec) : end(ec); }
    bool on_array_end(std::size_t, code& ec) { return ends_direct() ? checked(writer_.end(), ec) : end(ec); }

    bool on_key_part(string_view s, std::size_t, code& ec) { return skips() || check(keep_part(s, false), ec); }
    bool on_string_part(string_view s, std::size_t, code& ec) { return on_number_part(s, ec); }
    bool on_number_part(string_view s, code& ec) { return ignores_value() || check(keep_part(s, true), ec); }
    bool on_comment_part(string_view, code&) { return true; }
    bool on_comment(string_view, code&) { return true; }

    bool on_key(string_view s, std::size_t, code& ec)
    {
        if (!direct_) return any_key(s, ec);
        last_ = s.data() + s.size();
        if (!writer_.key(std_view(s))) [[unlikely]]
            return checked(false, ec, true);
        return !(writer_.may_repeat() && repeats(ec));
    }

    bool on_string(string_view s, std::size_t, code& ec)
    {
        if (!direct_) return any_string(s, ec);
        last_ = s.data() + s.size();
        return checked(writer_.string(std_view(s)), ec);
    }

    bool on_int64(std::int64_t i, string_view s, code& ec)
    {
        if (passes_by()) return true;
        const std::string_view text = whole(s);
        if (!encoding_) return check(scalar(value_kind::integer, text), ec);
        // The parser reads -0 as 0; the server wrote a float.
        if (i == 0 && text.front() == '-') return checked(tape_.number(text), ec);
        return checked(tape_.integer(i), ec);
    }
    bool on_uint64(std::uint64_t, string_view s, code& ec) { return number(s, ec); }
    bool on_double(double, string_view s, code& ec) { return number(s, ec); }

    bool on_bool(bool b, code& ec)
    {
        if (passes_by()) return true;
        if (encoding_) return checked(tape_.boolean(b), ec);
        return check(scalar(value_kind::boolean, b ? "true" : "false"), ec);
    }
    bool on_null(code& ec)
    {
        if (passes_by()) return true;
        if (encoding_) return checked(tape_.null(), ec);
        return check(scalar(value_kind::null, "null"), ec);
    }

    /// End of the last text that was understood, if it is inside the input.
    [[nodiscard]] const char* last() const noexcept { return last_; }

private:
    /// Determines whether events go directly to the writer until its depth is floor_.
    void look_around() noexcept
    {
        // The identity is at the first two levels.
        floor_ = std::max(tape_.whole_until(), identifying_ ? std::size_t{2} : 0);
        direct_ = encoding_ && !skips() && tape_.is_whole() && tape_.depth() > floor_ && text_.empty();
    }

    [[nodiscard]] bool ends_direct() const noexcept { return direct_ && writer_.depth() > floor_ + 1; }

    bool begin(bool is_object, code& ec)
    {
        left_out_ = !skips() && encoding_ && tape_.leaves_out_container();
        const bool ok = !left_out_ && open(is_object);
        look_around();
        return check(ok, ec);
    }

    bool end(code& ec)
    {
        const bool ok = close();
        look_around();
        return check(ok, ec);
    }

    /// After a key: stops the parser if the following value is written already. Not inlined, so that on_key() is.
    [[gnu::noinline]] bool repeats(code& ec)
    {
        // A key with escapes is not inside the input.
        const std::less<const char*> before;
        const char* const end = input_.data() + input_.size();
        if (before(last_, input_.data()) || !before(last_, end)) return false;
        const auto behind = static_cast<std::size_t>(last_ - input_.data());
        const std::string_view text = input_.substr(behind);
        if (!text.starts_with("\":{") && !text.starts_with("\":[")) return false;
        const std::size_t size = writer_.repeat(text.substr(2));
        if (size == 0) return false;
        repeated_ = behind + 2 + size;
        return !check(false, ec);
    }

    bool any_key(string_view s, code& ec)
    {
        if (!resuming_) behind_key_ = true;
        if (skips()) return true;
        const std::string_view key = whole(s);
        look_around();
        if (encoding_) {
            if (identifying_) identity_.key(tape_.depth(), key);
            return checked(tape_.key(key), ec, true);
        }
        owner_.key(key.substr(0, envelope_text));
        return true;
    }

    bool any_string(string_view s, code& ec)
    {
        if (passes_by()) return true;
        const std::string_view text = whole(s);
        look_around();
        if (!encoding_) return check(scalar(value_kind::string, text), ec);
        if (identifying_ && identity_.string(tape_.depth(), text) && owner_.recognise(identity_)) {
            interrupted_ = tape_.depth();
            encoding_ = false;
            return check(false, ec);
        }
        return checked(tape_.string(text), ec);
    }

    bool open(bool is_object)
    {
        if (resuming_) return true;
        behind_key_ = false;
        if (!skipped_.empty()) {
            skipped_.enter(is_object);
            return true;
        }
        if (!encoding_) {
            const auto answer = owner_.open(is_object);
            switch (answer) {
            case envelope::verdict::descend:
                outside_.enter(is_object);
                return true;
            case envelope::verdict::skip:
                skipped_.enter(is_object);
                return true;
            case envelope::verdict::refuse:
                return false;
            case envelope::verdict::encode:
            case envelope::verdict::encode_unless_known:
            case envelope::verdict::encode_whole:
                break;
            }
            encoding_ = true;
            tape_.clear(answer != envelope::verdict::encode_whole);
            identifying_ = answer == envelope::verdict::encode_unless_known;
            if (identifying_) identity_.begin();
            if (spent_.capacity() > kept_capacity) std::string().swap(spent_);
        }
        const std::size_t around = tape_.depth();
        if (tape_.begin(is_object)) return true;
        const bool left = gives_up(false);
        // The tape may have failed before it began the container.
        if (left && tape_.depth() == around) skipped_.enter(is_object);
        return left;
    }

    bool close()
    {
        if (resuming_) return true;
        behind_key_ = false;
        if (!skipped_.empty()) {
            skipped_.leave();
            return true;
        }
        if (!encoding_) {
            outside_.leave();
            owner_.close();
            return true;
        }
        if (!tape_.end()) return gives_up(false);
        if (tape_.depth() != 0) return true;
        encoding_ = false;
        return owner_.encoded(tape_.tape());
    }

    [[nodiscard]] bool skips() const noexcept { return resuming_ || !skipped_.empty(); }
    [[nodiscard]] bool ignores_value() const noexcept { return skips() || (encoding_ && tape_.ignores_value()); }
    [[nodiscard]] bool passes_by() noexcept
    {
        behind_key_ = false;
        return skips() || (encoding_ && tape_.passes_by());
    }

    bool keep_part(string_view s, bool of_value)
    {
        direct_ = false;
        if (!encoding_) {
            if (text_.size() < envelope_text) text_.append(s.data(), std::min(s.size(), envelope_text));
            return true;
        }
        if (s.size() > max_text_ - text_.size()) return gives_up(of_value);
        text_.append(s.data(), s.size());
        return true;
    }

    /// The complete text, whose last part is `s`. Valid until the next event; clears text_.
    std::string_view whole(string_view s)
    {
        last_ = s.data() + s.size();
        if (text_.empty()) return std_view(s);
        text_.append(s.data(), s.size());
        spent_.swap(text_);
        text_.clear();
        return spent_;
    }

    bool number(string_view s, code& ec)
    {
        if (passes_by()) return true;
        const std::string_view text = whole(s);
        if (encoding_) return checked(tape_.number(text), ec);
        return check(scalar(value_kind::number, text), ec);
    }

    bool scalar(value_kind kind, std::string_view text) { return owner_.scalar(kind, text.substr(0, envelope_text)); }

    /** The current object exceeds a limit. Parsing continues if its owner leaves it out.

        @param behind_key  The next value, or the current one, belongs to a member. @return false: the document fails. */
    bool gives_up(bool behind_key)
    {
        owner_.problem = "an object is larger than " + std::to_string(max_text_) + " bytes";
        if (tape_.too_deep()) owner_.problem = "nested too deeply";
        // The parser has the same depth limit.
        if (tape_.too_deep() || !owner_.leave_out(writer_.complete_member("metadata"))) return false;
        owner_.problem.clear();
        encoding_ = direct_ = false;
        text_.clear();
        skipped_.enter_all_of(writer_);
        behind_key_ = behind_key;
        return true;
    }

    bool checked(bool ok, code& ec, bool behind_key = false)
    {
        if (!ok) [[unlikely]]
            return check(gives_up(behind_key), ec);
        return true;
    }

    static bool check(bool ok, code& ec)
    {
        if (!ok) ec = make_error_code(cond::corrupt);
        return ok;
    }

    envelope& owner_;
    std::size_t max_text_;
    pruned_tape tape_;
    tape_writer& writer_;
    /// Events go directly to the writer; see look_around().
    bool direct_ = false;
    std::size_t floor_ = 0;
    std::string text_;
    std::string spent_;
    /// Open containers of a skipped value.
    nesting skipped_;
    bool resuming_ = false;
    /// True if the last event was a key; tracked where the tape does not know.
    bool behind_key_ = false;
    std::size_t interrupted_ = 0;
    bool left_out_ = false;
    nesting outside_;
    bool encoding_ = false;
    bool identifying_ = false;
    item_identity identity_;
    const char* last_ = nullptr;
    std::string_view input_;
    /// Size of text_ at the last show().
    std::size_t shown_ = 0;
    std::size_t repeated_ = 0;
};

} // namespace

struct json_feed::impl
{
    impl(envelope& e, const decode_options& o, std::size_t outer, vocabulary* words)
        : owner(e),
          filter(field_filter::compile(o)),
          // One level more than the tape allows, so that the tape's error is reported.
          parser({.max_depth = std::min(o.limits.max_depth, deepest) + outer + 1}, e, o, filter ? *filter : nothing,
                 words)
    {
    }

    [[nodiscard]] failure explain(std::string_view bytes, const code& ec) const
    {
        return json_failure(owner.problem, ec, bytes, parser.handler().last(), offset);
    }

    /// Restarts a stopped parser inside the same containers, after a value.
    void go_on(const nesting& open) { start_behind(open.text() + "null"); }

    void start_behind(const std::string& text)
    {
        auto& handler = parser.handler();
        handler.begin_resuming();
        parser.reset();
        code none;
        parser.write_some(true, text.data(), text.size(), none);
        handler.end_resuming();
    }

    /// If the parser stopped at a lone surrogate, restarts it inside the string that contains it.
    std::optional<string_repair::state> repair(std::string_view bytes, std::size_t at)
    {
        auto left = owner.problem.empty() ? strings.repair(bytes, at) : std::nullopt;
        if (!left) return left;
        start_behind(parser.handler().begin_string_again(left->whole_string));
        offset += left->begin;
        return left;
    }

    envelope& owner;
    const field_filter nothing;
    const result<field_filter> filter;
    boost::json::basic_parser<handler> parser;
    /// Skips a pruned container.
    json_skipper left_out;
    string_repair strings;
    std::size_t offset = 0;
};

json_feed::json_feed(envelope& owner, const decode_options& options, std::size_t outer_depth, vocabulary* words)
    : impl_(std::make_unique<impl>(owner, options, outer_depth, words))
{
}

json_feed::~json_feed() = default;

void json_feed::reset(std::size_t offset)
{
    impl_->parser.reset();
    impl_->parser.handler().reset();
    impl_->left_out = {};
    impl_->strings.forget();
    impl_->owner.problem.clear();
    impl_->offset = offset;
}

result<std::size_t> json_feed::write(std::string_view bytes, bool more)
{
    if (!impl_->filter) return impl_->filter.error();
    std::size_t taken = 0;
    for (;;) {
        if (!impl_->left_out.done()) {
            taken += impl_->left_out.feed(bytes.substr(taken));
            if (!impl_->left_out.done()) {
                if (more) break;
                return impl_->explain(bytes, boost::json::error::incomplete);
            }
            impl_->go_on(impl_->parser.handler().around());
        }
        const std::string_view rest = bytes.substr(taken);
        code ec;
        impl_->parser.handler().show(rest);
        const std::size_t parsed = impl_->parser.write_some(more, rest.data(), rest.size(), ec);
        if (const std::size_t repeated = impl_->parser.handler().take_repeated(); repeated != 0) {
            taken += repeated;
            impl_->go_on(impl_->parser.handler().around());
            continue;
        }
        taken += parsed;
        // The parser stops at the closing quote, or at the bracket.
        if (interrupted() != 0) return taken + 1;
        if (!impl_->parser.handler().left_out()) {
            if (!ec) break;
            const auto repaired = impl_->repair(bytes, taken);
            if (!repaired) return impl_->explain(bytes, ec);
            const auto more_taken = write(repaired->text, more);
            return more_taken ? repaired->begin + *more_taken : more_taken;
        }
        ++taken;
        impl_->left_out.begin(1);
    }
    impl_->offset += taken;
    if (more) impl_->strings.passed(bytes);
    return taken;
}

std::size_t json_feed::interrupted() const noexcept { return impl_->parser.handler().interrupted(); }

void json_feed::resume(std::size_t offset)
{
    impl_->go_on(impl_->parser.handler().outside());
    impl_->strings.forget();
    impl_->offset = offset;
}

bool json_feed::done() const noexcept { return impl_->parser.done(); }

} // namespace kubecoro::detail
