#include "decode/answer_readers.hpp"

#include <optional>
#include <utility>

namespace kubecoro {

struct watch_decoder::state
{
    state(const decode_options& options, std::shared_ptr<detail::object_encoding> e,
          std::shared_ptr<const known_objects> k, wire_form form)
        : encoding(std::move(e)), known(std::move(k))
    {
        const auto make = form == wire_form::protobuf ? detail::make_protobuf_watch : detail::make_json_watch;
        reader = make(options, detail::encoding::of(encoding), known.get());
    }

    failure fail(const failure& f)
    {
        failed = failure(f.condition(), "watch response: " + f.message());
        return *failed;
    }

    std::shared_ptr<detail::object_encoding> encoding;
    std::shared_ptr<const known_objects> known;
    std::unique_ptr<detail::watch_reader> reader;
    std::optional<failure> failed;
    /// Stays set when a call is left by an exception.
    bool at_work = false;
};

watch_decoder::watch_decoder(decode_options options, std::shared_ptr<detail::object_encoding> encoding,
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

bool watch_event::ends_initial_events() const noexcept
{
    return type == watch_event_type::bookmark && obj.annotations()["k8s.io/initial-events-end"].as_string() == "true";
}

failure watch_event::to_failure() const
{
    return status ? failure(*status) : failure(cond::corrupt, "an error event without a Status");
}

} // namespace kubecoro
