#include <kubecoro/endpoints/otlp_file.hpp>

#include <cerrno>
#include <cstdio>
#include <mutex>
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

    [[nodiscard]] result<> open()
    {
        // e: not for credential plugins and other children.
        file_.reset(std::fopen(options_.path.c_str(), "ae"));
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
        bytes_ += std::fwrite(line.data(), 1, line.size(), file_.get());
        std::fflush(file_.get());
    }

private:
    void begin_another()
    {
        file_.reset();
        std::rename(options_.path.c_str(), (options_.path + ".1").c_str());
        (void)open(); // fails as the writing of a line does
    }

    otlp_file_options options_;
    std::mutex mutex_;
    open_file file_;        // under the mutex
    std::size_t bytes_ = 0; // under the mutex
};

} // namespace

result<std::shared_ptr<span_sink>> otlp_file(otlp_file_options options)
{
    auto made = std::make_shared<line_file>(std::move(options));
    if (const auto opened = made->open(); !opened) return opened.error();
    return std::shared_ptr<span_sink>(std::move(made));
}

} // namespace kubecoro
