#include "cli/progress.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>

#include <chrono>
#include <cstdio>

#include <unistd.h>

namespace kubecoro::tool {

namespace {

constexpr std::chrono::seconds patience{1};

/// Terminals wrap longer lines, which could not be removed again.
constexpr std::size_t longest_line = 76;

} // namespace

void progress_core::doing(std::string what, time_point now)
{
    if (what_.empty()) begun_ = now;
    what_ = std::move(what);
}

void progress_core::done() { what_.clear(); }

std::optional<std::string> progress_core::line(time_point now) const
{
    if (what_.empty() || now - begun_ < patience) return {};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begun_).count();
    return printable(what_, longest_line) + " (" + std::to_string(seconds) + " s)";
}

progress::progress(progress_mode mode, std::shared_ptr<time_source> time)
    : time_(std::move(time)), terminal_(::isatty(STDERR_FILENO) == 1)
{
    on_ = mode == progress_mode::always || (mode == progress_mode::automatic && terminal_);
}

void progress::done()
{
    core_.done();
    clear();
}

void progress::clear()
{
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
}

void progress::show()
{
    const auto line = core_.line(time_->now());
    if (!line) return;
    if (terminal_) {
        std::fprintf(stderr, "\r\x1b[K%s", line->c_str());
        shown_ = true;
        return;
    }
    const auto words = line->substr(0, line->rfind(" ("));
    if (words != last_) std::fprintf(stderr, "%s\n", line->c_str());
    last_ = words;
}

boost::asio::awaitable<result<>> progress::run()
{
    for (;;) {
        KUBECORO_TRY(co_await sleep_for(*time_, patience));
        if (on_) show();
    }
}

} // namespace kubecoro::tool
