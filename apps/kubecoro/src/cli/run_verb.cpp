#include "cli/verb.hpp"

#include <kubecoro/base/timeout.hpp>

#include <cstdio>

#include <unistd.h>

namespace kubecoro::tool {

namespace asio = boost::asio;

void verb_context::print(std::string_view text) const
{
    waiting.clear();
    out.text(text);
}

void verb_context::line(std::string_view text) const
{
    waiting.clear();
    out.line(text);
}

void verb_context::note(std::string_view text) const
{
    waiting.clear();
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

void problems::add(failure f)
{
    if (last_) context_.note("kubecoro: " + last_->describe());
    last_ = std::move(f);
}

namespace {

/// Shows progress while the verb runs.
asio::awaitable<result<>> with_progress(const verb& v, verb_context context)
{
    auto work = v.run(context);
    auto shown = context.waiting.run();
    result<> outcome = failure(cond::cancelled);
    auto keep = [](asio::awaitable<result<>> w, result<>& kept) -> asio::awaitable<result<>> {
        kept = co_await catch_failure(std::move(w));
        co_return result<>();
    };
    (void)co_await race(keep(std::move(work), outcome), std::move(shown));
    co_return outcome;
}

} // namespace

asio::awaitable<result<>> run_verb(const verb& v, program_context program, logger log, progress_mode mode)
{
    std::optional<result<>> closed;
    output out([&closed, stop = program.stop](result<> why) {
        closed = why;
        stop.settle(std::move(why));
    });
    progress waiting(mode);
    verb_context context{program, out, waiting, std::move(log), ::isatty(STDOUT_FILENO) == 1, output::shows_colours()};
    auto running = with_progress(v, context);
    if (!v.stops_itself) running = unless_stopped(program.stop, std::move(running));
    auto outcome = co_await std::move(running);
    if (closed) co_return *closed;
    co_return outcome;
}

} // namespace kubecoro::tool
