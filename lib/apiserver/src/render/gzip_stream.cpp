#include "render/gzip_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace kubecoro::apiserver {
namespace {

/// As in kube-apiserver: fast, and nearly as small as the default level.
constexpr int level = 1;
/// The largest window, in a gzip wrapper.
constexpr int gzip_window = 16 + MAX_WBITS;
/// zlib's default: 256 KiB for each stream.
constexpr int memory_level = 8;

class gzip_stream final : public body_stream
{
public:
    gzip_stream(std::string first, std::unique_ptr<body_stream> rest) : plain_(std::move(first)), rest_(std::move(rest))
    {
        // zlib fails here only without memory: its version is that of the header, and the parameters are constants.
        if (deflateInit2(&stream_, level, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~gzip_stream() override { deflateEnd(&stream_); }
    gzip_stream(const gzip_stream&) = delete;
    gzip_stream& operator=(const gzip_stream&) = delete;

    /// Compresses one part of the body, however few bytes come out.
    bool next(std::string& out, std::size_t max_bytes) override
    {
        if (taken_ == plain_.size() && rest_) {
            plain_.clear();
            taken_ = 0;
            if (!rest_->next(plain_, max_bytes)) rest_.reset();
        }
        const auto part = std::string_view(plain_).substr(taken_, max_bytes);
        taken_ += part.size();
        const bool last = taken_ == plain_.size() && !rest_;
        deflate(out, part, last ? Z_FINISH : Z_NO_FLUSH);
        return !last;
    }

private:
    void deflate(std::string& out, std::string_view part, int flush)
    {
        // zlib never writes to its input.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
        stream_.avail_in = static_cast<uInt>(part.size());
        do {
            const auto used = out.size();
            out.resize(used + step);
            stream_.next_out = reinterpret_cast<Bytef*>(out.data() + used);
            stream_.avail_out = step;
            ::deflate(&stream_, flush);
            out.resize(used + step - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

    static constexpr uInt step = 32 * 1024;

    z_stream stream_{};
    std::string plain_;
    std::size_t taken_ = 0;
    std::unique_ptr<body_stream> rest_;
};

} // namespace

bool accepts_gzip(std::string_view accept_encoding) noexcept
{
    while (!accept_encoding.empty()) {
        auto token = accept_encoding.substr(0, accept_encoding.find(','));
        accept_encoding.remove_prefix(std::min(accept_encoding.size(), token.size() + 1));
        while (token.starts_with(' ') || token.starts_with('\t')) token.remove_prefix(1);
        while (token.ends_with(' ') || token.ends_with('\t')) token.remove_suffix(1);
        if (token == "gzip") return true;
    }
    return false;
}

void compress_long(http_response& r)
{
    if (r.body.size() <= largest_plain_body) return;
    r.rest = std::make_unique<gzip_stream>(std::exchange(r.body, {}), std::move(r.rest));
    r.headers.emplace_back("Content-Encoding", "gzip");
    r.headers.emplace_back("Vary", "Accept-Encoding");
}

} // namespace kubecoro::apiserver
