// Decodes objects, lists and watches in the form that they have on the wire.
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/leading_object.hpp>

#include "decode/answer_readers.hpp"
#include "decode/selection.hpp"
#include "json/json_feed.hpp"
#include "protobuf/object_reader.hpp"
#include "storage/object_block.hpp"

#include <kubecoro/api/status.hpp>

#include <utility>

namespace kubecoro {

namespace {

// No envelope: the document is the object.
class bare_object final : public detail::envelope
{
public:
    bare_object(verdict how, detail::encoding* encoding, bool partial) noexcept
        : how_(how), encoding_(encoding), partial_(partial)
    {
    }

    verdict open(bool is_object) override
    {
        if (is_object) return how_;
        problem = "expected an object, got an array";
        return verdict::refuse;
    }
    void key(std::string_view) override {}
    bool scalar(value_kind, std::string_view) override
    {
        problem = "expected an object";
        return false;
    }
    bool encoded(const detail::tape_writer& tape) override
    {
        made = object_builder::build(tape.bytes(), encoding_, {}, arrival::in_use, partial_);
        return true;
    }

    object made;

private:
    verdict how_;
    detail::encoding* encoding_;
    bool partial_;
};

/// Takes the object out of the text.
result<object> decode_front(std::string_view& json, const decode_options& options, detail::envelope::verdict how,
                            const std::shared_ptr<detail::object_encoding>& encoding, bool partial = false)
{
    bare_object target(how, detail::encoding::of(encoding), partial);
    detail::json_feed feed(target, options, 0, detail::encoding::words_of(encoding));
    const auto taken = feed.write(json, false);
    if (!taken) return taken.error();
    json.remove_prefix(*taken);
    return std::move(target.made);
}

result<object> decode(std::string_view json, const decode_options& options, detail::envelope::verdict how,
                      const std::shared_ptr<detail::object_encoding>& encoding, bool partial = false)
{
    const auto size = json.size();
    auto made = decode_front(json, options, how, encoding, partial);
    if (made && !json.empty())
        return failure(cond::corrupt,
                       "unexpected text after the object, at byte " + std::to_string(size - json.size()));
    return made;
}

} // namespace

result<object> decode_object(std::string_view bytes, const decode_options& options,
                             const std::shared_ptr<detail::object_encoding>& encoding, wire_form form)
{
    if (form == wire_form::protobuf)
        return detail::decode_protobuf_object(bytes, options, detail::encoding::of(encoding));
    auto made = decode(bytes, options, detail::envelope::verdict::encode, encoding);
    // A Status is the server's response to a request and is not pruned.
    if (made && options.prunes() && made->kind() == "Status")
        return decode(bytes, options, detail::envelope::verdict::encode_whole, encoding);
    return made;
}

result<object> detail::parse_object(std::string_view json, bool partial,
                                    const std::shared_ptr<object_encoding>& encoding)
{
    return decode(json, {}, envelope::verdict::encode, encoding, partial);
}

result<object> detail::parse_leading_object(std::string_view& text, const std::shared_ptr<object_encoding>& encoding)
{
    return decode_front(text, {}, envelope::verdict::encode, encoding);
}

bool watch_event::ends_initial_events() const noexcept
{
    return type == watch_event_type::bookmark && obj.annotations()["k8s.io/initial-events-end"].as_string() == "true";
}

failure watch_event::to_failure() const
{
    return status ? failure(*status) : failure(cond::corrupt, "an error event without a Status");
}

} // namespace kubecoro

namespace kubecoro::detail {

namespace {

/// A Status is smaller.
constexpr std::size_t longest_status = std::size_t{16} * 1024;

/// The failure that a Status in place of a list reports.
std::optional<failure> reported_by(std::string_view text, wire_form form)
{
    const auto status = decode_object(text, {}, {}, form);
    if (!status || status->kind() != "Status" || (*status)["status"].as_string() != "Failure") return std::nullopt;
    return failure(read_status(status->root()));
}

} // namespace

struct list_decoder::state
{
    state(const decode_options& options, std::shared_ptr<object_encoding> e, std::shared_ptr<const known_objects> k,
          wire_form f)
        : encoding(std::move(e)), known(std::move(k)), form(f)
    {
        const auto make = form == wire_form::protobuf ? make_protobuf_list : make_json_list;
        reader = make(options, encoding::of(encoding), known.get());
    }

    failure fail(const failure& f)
    {
        failed = failure(f.condition(), "list response: " + f.message());
        return *failed;
    }

    std::shared_ptr<object_encoding> encoding;
    std::shared_ptr<const known_objects> known;
    wire_form form;
    /// The first bytes, which may be a Status.
    std::string beginning;
    std::unique_ptr<list_reader> reader;
    std::optional<failure> failed;
    /// Stays set when a call is left by an exception.
    bool at_work = false;
};

list_decoder::list_decoder(decode_options options, std::shared_ptr<object_encoding> encoding,
                           std::shared_ptr<const known_objects> known, wire_form form)
    : state_(std::make_unique<state>(options, std::move(encoding), std::move(known), form))
{
}
list_decoder::~list_decoder() = default;
list_decoder::list_decoder(list_decoder&&) noexcept = default;
list_decoder& list_decoder::operator=(list_decoder&&) noexcept = default;

result<> list_decoder::feed(std::string_view bytes)
{
    if (state_->failed) return *state_->failed;
    // A part of the answer may have been lost: what follows must not be taken as its continuation.
    if (std::exchange(state_->at_work, true))
        return state_->fail(failure(cond::corrupt, "an exception ended the decoding"));
    state_->beginning += bytes.substr(0, longest_status - state_->beginning.size());
    auto fed = state_->reader->feed(bytes);
    state_->at_work = false;
    if (!fed) return state_->fail(fed.error());
    return fed;
}

result<list_page> list_decoder::finish()
{
    if (state_->failed) return *state_->failed;
    if (state_->at_work) return state_->fail(failure(cond::corrupt, "an exception ended the decoding"));
    auto page = state_->reader->finish();
    if (page) return page;
    if (auto told = reported_by(state_->beginning, state_->form)) return *(state_->failed = std::move(told));
    return state_->fail(page.error());
}

struct watch_decoder::state
{
    state(const decode_options& options, std::shared_ptr<object_encoding> e, std::shared_ptr<const known_objects> k,
          wire_form form)
        : encoding(std::move(e)), known(std::move(k))
    {
        const auto make = form == wire_form::protobuf ? make_protobuf_watch : make_json_watch;
        reader = make(options, encoding::of(encoding), known.get());
    }

    failure fail(const failure& f)
    {
        failed = failure(f.condition(), "watch response: " + f.message());
        return *failed;
    }

    std::shared_ptr<object_encoding> encoding;
    std::shared_ptr<const known_objects> known;
    std::unique_ptr<watch_reader> reader;
    std::optional<failure> failed;
    /// Stays set when a call is left by an exception.
    bool at_work = false;
};

watch_decoder::watch_decoder(decode_options options, std::shared_ptr<object_encoding> encoding,
                             std::shared_ptr<const known_objects> known, wire_form form)
    : state_(std::make_unique<state>(options, std::move(encoding), std::move(known), form))
{
}
watch_decoder::~watch_decoder() = default;
watch_decoder::watch_decoder(watch_decoder&&) noexcept = default;
watch_decoder& watch_decoder::operator=(watch_decoder&&) noexcept = default;

result<> watch_decoder::feed(std::string_view bytes, std::vector<watch_event>& out)
{
    if (state_->failed) return *state_->failed;
    // A part of the answer may have been lost: what follows must not be taken as its continuation.
    if (std::exchange(state_->at_work, true))
        return state_->fail(failure(cond::corrupt, "an exception ended the decoding"));
    auto fed = state_->reader->feed(bytes, out);
    state_->at_work = false;
    if (!fed) return state_->fail(fed.error());
    return fed;
}

result<> watch_decoder::finish()
{
    if (state_->failed) return *state_->failed;
    if (state_->at_work) return state_->fail(failure(cond::corrupt, "an exception ended the decoding"));
    auto ended = state_->reader->finish();
    if (!ended) return state_->fail(ended.error());
    return ended;
}

std::shared_ptr<const known_objects> selection_of(std::shared_ptr<const known_objects> known)
{
    const auto* const selects = dynamic_cast<const selecting_objects*>(known.get());
    const auto* const formers = dynamic_cast<const former_objects*>(known.get());
    if (selects != nullptr) return std::make_shared<const bare_selection>(std::move(known), *selects, formers);
    if (formers != nullptr) return std::make_shared<const former_states>(std::move(known), *formers);
    return nullptr;
}

} // namespace kubecoro::detail
