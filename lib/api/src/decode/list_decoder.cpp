#include "decode/answer_readers.hpp"

#include <optional>
#include <utility>

namespace kubecoro {

struct list_decoder::state
{
    state(const decode_options& options, std::shared_ptr<detail::object_encoding> e,
          std::shared_ptr<const known_objects> k, wire_form form)
        : encoding(std::move(e)), known(std::move(k))
    {
        const auto make = form == wire_form::protobuf ? detail::make_protobuf_list : detail::make_json_list;
        reader = make(options, detail::encoding::of(encoding), known.get());
    }

    failure fail(const failure& f)
    {
        failed = failure(f.condition(), "list response: " + f.message());
        return *failed;
    }

    std::shared_ptr<detail::object_encoding> encoding;
    std::shared_ptr<const known_objects> known;
    std::unique_ptr<detail::list_reader> reader;
    std::optional<failure> failed;
    /// Stays set when a call is left by an exception.
    bool at_work = false;
};

list_decoder::list_decoder(decode_options options, std::shared_ptr<detail::object_encoding> encoding,
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
    if (!page) return state_->fail(page.error());
    return page;
}

} // namespace kubecoro
