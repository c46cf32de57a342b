#include <kubecoro/client/recording_transport.hpp>

#include "record/mask_core.hpp"
#include "record/recording_file.hpp"

#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// A longer body is withheld, a shorter one masked as a whole.
constexpr std::size_t most_masked = std::size_t{32} * 1024 * 1024;

bool same_name(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// The answer in a form that can be masked.
void ask_for_plain_json(request& r)
{
    accept_json_only(r);
    std::erase_if(r.headers, [](const auto& h) { return same_name(h.first, "accept-encoding"); });
}

std::string head_of(const request& r)
{
    auto out = r.method + ' ' + r.target + '\n';
    if (!r.accept.empty()) out += "accept: " + r.accept + '\n';
    if (!r.content_type.empty()) out += "content-type: " + r.content_type + '\n';
    return out += '\n';
}

std::string head_of(const answer_head& head)
{
    auto out = std::to_string(head.status) + '\n';
    for (const auto* const name : {"content-type", "content-encoding", "retry-after"})
        if (const auto value = head.header(name); !value.empty()) (out += name) += ": " + std::string(value) + '\n';
    return out;
}

/// The word for a request that its client ends; else why it failed.
std::string end_of(const failure& why)
{
    return why == cond::cancelled ? std::string(detail::dropped_word) : why.describe();
}

} // namespace

struct recording_transport::parts
{
    parts(std::shared_ptr<transport> t, const recording_options& o)
        : inner(std::move(t)), file(o), mask(detail::hash_secrets::random())
    {
    }

    std::shared_ptr<transport> inner;
    mutable detail::recording_file file;
    detail::secret_mask mask;
};

namespace {

/// An answer whose bytes are recorded as they are read.
class recorded_answer final : public answer
{
public:
    recorded_answer(std::unique_ptr<answer> inner, std::shared_ptr<const void> keeps, detail::recording_file& file,
                    std::uint64_t id, const detail::secret_mask* mask, bool is_watch)
        : inner_(std::move(inner)), keeps_(std::move(keeps)), file_(&file), mask_(mask), id_(id), is_watch_(is_watch)
    {
    }
    ~recorded_answer() override
    {
        if (ended_) return;
        flush(false);
        file_->end(id_, detail::dropped_word);
    }
    recorded_answer(const recorded_answer&) = delete;
    recorded_answer& operator=(const recorded_answer&) = delete;

    [[nodiscard]] const answer_head& head() const noexcept override { return inner_->head(); }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        auto got = co_await inner_->read_some();
        if (!got)
            finish(end_of(got.error()), false);
        else if (got->empty())
            finish({}, true);
        else
            note(*got);
        co_return got;
    }
    [[nodiscard]] std::string_view read_arrived() override
    {
        const auto got = inner_->read_arrived();
        if (!got.empty())
            note(got);
        else if (inner_->at_end())
            finish({}, true);
        return got;
    }
    [[nodiscard]] bool at_end() const noexcept override { return inner_->at_end(); }
    void read_in_bulk(bool on) noexcept override { inner_->read_in_bulk(on); }
    void may_end_early() noexcept override { inner_->may_end_early(); }
    [[nodiscard]] bool ended_early() const noexcept override { return inner_->ended_early(); }

private:
    void note(std::string_view bytes)
    {
        if (mask_ == nullptr) {
            file_->data(id_, bytes);
            return;
        }
        if (too_long_) return;
        if (kept_.size() + bytes.size() > most_masked) {
            too_long_ = true;
            kept_ = {};
            return;
        }
        const auto searched = kept_.size();
        kept_ += bytes;
        if (!is_watch_) return;
        std::size_t begin = 0;
        for (auto end = kept_.find('\n', searched); end != kept_.npos; end = kept_.find('\n', begin)) {
            file_->data(id_, mask_->masked(std::string_view(kept_).substr(begin, end - begin)) + '\n');
            begin = end + 1;
        }
        kept_.erase(0, begin);
    }
    /// The rest that waits to be masked. One that is not whole is withheld.
    void flush(bool whole)
    {
        if (mask_ != nullptr && (too_long_ || !kept_.empty())) file_->data(id_, mask_->masked(whole ? kept_ : "?"));
        kept_ = {};
    }
    void finish(std::string_view why, bool whole)
    {
        if (std::exchange(ended_, true)) return;
        flush(whole && !too_long_);
        file_->end(id_, why);
    }

    std::unique_ptr<answer> inner_;
    std::shared_ptr<const void> keeps_;
    detail::recording_file* file_;
    const detail::secret_mask* mask_;
    std::uint64_t id_;
    bool is_watch_;
    bool ended_ = false;
    bool too_long_ = false;
    std::string kept_;
};

} // namespace

recording_transport::recording_transport(std::shared_ptr<transport> inner, recording_options options)
    : parts_(std::make_shared<const parts>(std::move(inner), options))
{
}
recording_transport::~recording_transport() = default;

asio::awaitable<result<std::unique_ptr<answer>>> recording_transport::send(request r)
{
    const auto p = parts_;
    const bool is_masked = detail::secret_mask::covers(r.target);
    const bool is_watch = r.target.find("watch=") != std::string::npos;
    if (is_masked) ask_for_plain_json(r);
    const auto id = is_masked ? p->file.begin(head_of(r), p->mask.masked(r.body)) : p->file.begin(head_of(r), r.body);
    auto got = co_await p->inner->send(std::move(r));
    if (!got) {
        p->file.end(id, end_of(got.error()));
        co_return got.error();
    }
    p->file.answer(id, head_of((*got)->head()));
    std::unique_ptr<answer> recorded =
        std::make_unique<recorded_answer>(std::move(*got), p, p->file, id, is_masked ? &p->mask : nullptr, is_watch);
    co_return recorded;
}

recording_stats recording_transport::stats() const { return parts_->file.stats(); }

} // namespace kubecoro
