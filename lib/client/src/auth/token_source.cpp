#include "auth/token_source.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <exception>
#include <utility>

namespace kubecoro::detail {

namespace {

constexpr std::size_t longest_token = 64 * 1024;

} // namespace

token_source::token_source(std::string initial, std::string file, environment machine,
                           std::shared_ptr<time_source> time)
    : file_(std::move(file)), machine_(std::move(machine)), time_(std::move(time)), core_(std::move(initial))
{
}

token_source::token token_source::current(bool read)
{
    std::unique_lock lock(mutex_);
    if (file_.empty() || (!read && !reading_ && !core_.stale(time_->now()))) return {core_.token()};
    const auto begun = begin_reading();
    if (!begun) {
        auto why = begun.error().describe();
        const bool is_news = core_.failed(why, time_->now());
        return {core_.token(), is_news ? std::move(why) : std::string()};
    }
    const reading& running = **begun;
    lock.unlock();
    running.content->block_until(running.begun + patience);
    lock.lock();
    auto problem = take(running, time_->now());
    return {core_.token(), std::move(problem)};
}

result<std::shared_ptr<const token_source::reading>> token_source::begin_reading()
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (reading_) return reading_;
    auto begun = background_call<result<std::string>>::start(
        "read " + file_, [from = machine_.read_file, file = file_]() -> result<std::string> {
            try {
                return from(file, longest_token);
            } catch (...) {
                return to_failure(std::current_exception());
            }
        });
    if (!begun) return begun.error();
    return reading_ = std::make_shared<const reading>(reading{*std::move(begun), std::chrono::steady_clock::now()});
}

std::string token_source::take(const reading& r, time_point now)
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (reading_.get() != &r) return {}; // taken by another one
    std::string why;
    if (const auto content = r.content->outcome()) {
        reading_ = nullptr;
        if (*content && core_.loaded(**content, now)) return {};
        why = *content ? std::string("it is empty") : content->error().describe();
    } else {
        why = "the read has not ended yet";
    }
    return core_.failed(why, now) ? why : std::string();
}

} // namespace kubecoro::detail
