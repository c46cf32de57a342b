#include <kubecoro/endpoints/otlp_file.hpp>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace kubecoro {
namespace {

struct closing
{
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using open_file = std::unique_ptr<std::FILE, closing>;

class line_file final : public span_sink
{
public:
    explicit line_file(otlp_file_options o) : options_(std::move(o)) {}

    /// @param mode  "a" continues a file, "w" empties it.
    [[nodiscard]] result<> open(std::string mode)
    {
        mode += 'e'; // not for credential plugins and other children
        file_.reset(std::fopen(options_.path.c_str(), mode.c_str()));
        if (!file_) {
            const auto why = std::error_code(errno, std::generic_category()).message();
            return failure(cond::misconfigured, "the file for traces " + options_.path + " cannot be opened: " + why);
        }
        const auto at = std::fseek(file_.get(), 0, SEEK_END) == 0 ? std::ftell(file_.get()) : 0;
        bytes_ = at > 0 ? static_cast<std::size_t>(at) : 0;
        return {};
    }

    void ended(const span_data& s) override
    {
        const auto line = to_otlp_line(s, options_.resource);
        std::lock_guard lock(mutex_);
        if (options_.max_bytes != 0 && bytes_ != 0 && bytes_ + line.size() > options_.max_bytes) begin_another();
        if (!file_) return;
        if (is_cut_) write("\n");
        is_cut_ = !write(line);
    }

private:
    void begin_another()
    {
        file_.reset();
        // Where the name cannot be changed the spans so far are lost: the limit counts.
        const bool kept = std::rename(options_.path.c_str(), (options_.path + ".1").c_str()) == 0;
        (void)open(kept ? "a" : "w"); // fails as the writing of a line does
    }
    /// Returns whether all of it was written.
    bool write(std::string_view text)
    {
        const auto written = std::fwrite(text.data(), 1, text.size(), file_.get());
        bytes_ += written;
        return std::fflush(file_.get()) == 0 && written == text.size();
    }

    otlp_file_options options_;
    std::mutex mutex_;
    open_file file_;        // under the mutex
    std::size_t bytes_ = 0; // under the mutex
    bool is_cut_ = false;   // the last line; under the mutex
};

} // namespace

result<std::shared_ptr<span_sink>> otlp_file(otlp_file_options options)
{
    auto made = std::make_shared<line_file>(std::move(options));
    if (const auto opened = made->open("a"); !opened) return opened.error();
    return std::shared_ptr<span_sink>(std::move(made));
}

} // namespace kubecoro
