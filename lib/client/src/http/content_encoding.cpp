#include "http/content_encoding.hpp"

#include "observe/request_meters.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <zlib.h>

namespace kubecoro::detail {

namespace {

/// Holds the window of deflate, and fits the CPU's cache together with it.
constexpr std::size_t piece_size = 64 * 1024;
/// The largest window, in a gzip wrapper.
constexpr int gzip_window = 16 + MAX_WBITS;

} // namespace

class gunzip::machine
{
public:
    machine()
    {
        // zlib fails here only without memory: its version is that of the header.
        if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
    }
    ~machine() { inflateEnd(&stream_); }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    void begin_piece() noexcept { filled_ = 0; }
    [[nodiscard]] bool full() const noexcept { return filled_ == piece_.size(); }
    [[nodiscard]] std::string_view piece() const noexcept { return {piece_.data(), filled_}; }
    /// Between members.
    [[nodiscard]] bool at_boundary() const noexcept { return at_boundary_; }

    struct step
    {
        std::size_t consumed = 0;
        std::size_t decoded = 0;
        int code = Z_OK;
    };
    step inflate(std::string_view in)
    {
        if (at_boundary_) {
            inflateReset(&stream_);
            at_boundary_ = false;
        }
        const auto most = std::min<std::size_t>(in.size(), std::numeric_limits<uInt>::max());
        // zlib never writes to its input.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream_.avail_in = static_cast<uInt>(most);
        stream_.next_out = reinterpret_cast<Bytef*>(piece_.data() + filled_);
        stream_.avail_out = static_cast<uInt>(piece_.size() - filled_);
        step out;
        out.code = ::inflate(&stream_, Z_NO_FLUSH);
        out.consumed = most - stream_.avail_in;
        out.decoded = piece_.size() - filled_ - stream_.avail_out;
        filled_ += out.decoded;
        at_boundary_ = out.code == Z_STREAM_END;
        return out;
    }
    [[nodiscard]] const char* why() const noexcept { return stream_.msg != nullptr ? stream_.msg : "unknown error"; }

private:
    z_stream stream_{};
    std::array<char, piece_size> piece_;
    std::size_t filled_ = 0;
    bool at_boundary_ = true;
};

gunzip::gunzip(gunzip_limits limits) : limits_(limits), machine_(std::make_unique<machine>()) {}
gunzip::~gunzip() = default;
gunzip::gunzip(gunzip&&) noexcept = default;
gunzip& gunzip::operator=(gunzip&&) noexcept = default;

result<gunzip::progress> gunzip::feed(std::string_view bytes)
{
    machine_->begin_piece();
    auto rest = bytes;
    // Bytes that did not fit into a piece follow with the next input: there is one, since a stream ends in a checksum.
    while (!failed_ && !machine_->full() && !rest.empty()) failed_ = step(rest);
    // The bytes before the damage are valid: the failure waits for the next call.
    if (failed_ && machine_->piece().empty()) return *failed_;
    return progress{bytes.size() - rest.size(), machine_->piece()};
}

std::optional<failure> gunzip::step(std::string_view& rest)
{
    const auto done = machine_->inflate(rest);
    rest.remove_prefix(done.consumed);
    encoded_ += done.consumed;
    decoded_ += done.decoded;
    if (done.code != Z_OK && done.code != Z_STREAM_END)
        return failure(cond::corrupt, std::string("the gzip data of the response is damaged: ") + machine_->why());
    return out_of_proportion();
}

std::optional<failure> gunzip::out_of_proportion() const
{
    if (decoded_ > limits_.spare_decoded && (decoded_ - limits_.spare_decoded) / limits_.max_ratio > encoded_)
        return failure(cond::corrupt, "the gzip data of the response expands to more than " +
                                          std::to_string(limits_.max_ratio) + " times its size");
    if (encoded_ > limits_.spare_encoded && (encoded_ - limits_.spare_encoded) / limits_.max_framing > decoded_)
        return failure(cond::corrupt, "the gzip data of the response has hardly any content");
    return std::nullopt;
}

result<> gunzip::end_of_input()
{
    if (failed_) return *failed_;
    if (machine_->at_boundary()) return {};
    return failure(cond::unreachable, "the gzip data of the response ends too early");
}

namespace asio = boost::asio;

namespace {

constexpr std::size_t shown_encoding = 100;

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// Content-Encoding in lower case, empty for none; several are joined.
std::string encoding_of(const answer_head& head)
{
    std::string all;
    for (const auto& [name, value] : head.headers)
        if (name == "content-encoding") all += (all.empty() ? "" : ", ") + lower(value);
    return all == "identity" ? std::string() : all;
}

/// A response to decode.
class gzip_answer final : public answer
{
public:
    gzip_answer(std::unique_ptr<answer> encoded, gzip_counters counters)
        : head_(encoded->head()), encoded_(std::move(encoded)), counters_(std::move(counters))
    {
        std::erase_if(head_.headers,
                      [](const auto& h) { return h.first == "content-encoding" || h.first == "content-length"; });
    }

    const answer_head& head() const noexcept override { return head_; }
    void read_in_bulk(bool on) noexcept override
    {
        if (encoded_) encoded_->read_in_bulk(on);
    }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        auto got = co_await catch_failure(next_piece());
        if (!got) fail(got.error());
        co_return got;
    }

    std::string_view read_arrived() override
    {
        while (encoded_) {
            const auto decoded = decode();
            if (!decoded.empty() || !encoded_) return decoded;
            arrived_ = encoded_->read_arrived();
            if (arrived_.empty()) break;
            counters_.received->add(static_cast<double>(arrived_.size()));
        }
        return {};
    }

private:
    asio::awaitable<result<std::string_view>> next_piece()
    {
        for (;;) {
            if (failed_) co_return *failed_;
            const auto decoded = decode();
            if (!decoded.empty()) co_return decoded;
            if (failed_) continue;
            KUBECORO_TRY(auto piece, co_await encoded_->read_some());
            if (piece.empty()) {
                // The connection is already free for the next request.
                if (auto ended = gunzip_.end_of_input(); !ended) co_return ended.error();
                co_return std::string_view();
            }
            arrived_ = piece;
            counters_.received->add(static_cast<double>(arrived_.size()));
        }
    }

    /// The next decoded piece; empty when more input is needed, or after a failure.
    std::string_view decode()
    {
        const auto fed = gunzip_.feed(arrived_);
        if (!fed) {
            fail(fed.error());
            return {};
        }
        arrived_.remove_prefix(fed->consumed);
        counters_.decoded->add(static_cast<double>(fed->decoded.size()));
        return fed->decoded;
    }

    /// Ends the response: the rest of a damaged one is not read, so its connection is closed.
    void fail(failure why)
    {
        if (!failed_) failed_ = std::move(why);
        arrived_ = {};
        encoded_.reset();
    }

    answer_head head_;
    std::unique_ptr<answer> encoded_;
    gzip_counters counters_;
    gunzip gunzip_;
    /// The bytes that were received and not yet decoded; they belong to the encoded response.
    std::string_view arrived_;
    std::optional<failure> failed_;
};

/// A response whose encoding was not requested. Its body fails unless it is empty.
class unreadable_answer final : public answer
{
public:
    unreadable_answer(std::unique_ptr<answer> encoded, failure why) : encoded_(std::move(encoded)), why_(std::move(why))
    {
    }
    const answer_head& head() const noexcept override { return encoded_->head(); }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        auto piece = co_await encoded_->read_some();
        if (piece && !piece->empty()) co_return why_;
        co_return piece;
    }

private:
    std::unique_ptr<answer> encoded_;
    failure why_;
};

} // namespace

bool ask_for_gzip(request& r, bool may_ask)
{
    for (const auto& [name, value] : r.headers)
        if (lower(name) == "accept-encoding") return false;
    if (!may_ask || r.method != "GET" || is_stream(r.target)) return false;
    r.headers.emplace_back("Accept-Encoding", "gzip");
    return true;
}

std::unique_ptr<answer> decode_content(std::unique_ptr<answer> encoded, bool asked, gzip_counters counters)
{
    const auto encoding = encoding_of(encoded->head());
    const bool is_gzip = encoding == "gzip" || encoding == "x-gzip";
    if (!is_gzip || !asked) return encoded;
    return std::make_unique<gzip_answer>(std::move(encoded), std::move(counters));
}

std::unique_ptr<answer> expect_plain(std::unique_ptr<answer> response)
{
    const auto encoding = encoding_of(response->head());
    if (encoding.empty()) return response;
    failure why(cond::corrupt,
                "the response is encoded as \"" + printable(encoding, shown_encoding) + "\", which was not asked for");
    return std::make_unique<unreadable_answer>(std::move(response), std::move(why));
}

} // namespace kubecoro::detail
