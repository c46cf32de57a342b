#include "decode/answer_readers.hpp"

#include <kubecoro/api/status.hpp>

#include <optional>
#include <utility>

namespace kubecoro {

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
    state(const decode_options& options, std::shared_ptr<detail::object_encoding> e,
          std::shared_ptr<const known_objects> k, wire_form f)
        : encoding(std::move(e)), known(std::move(k)), form(f)
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
    wire_form form;
    /// The first bytes, which may be a Status.
    std::string beginning;
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

} // namespace kubecoro
