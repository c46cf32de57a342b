#include "http/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <string>

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

} // namespace kubecoro::detail
