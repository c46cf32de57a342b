#include "journal.hpp"

#include <cstdio>
#include <utility>

namespace kubecoro::simulation {

namespace {
constexpr std::size_t kept_steps = 200;
}

journal::journal(std::shared_ptr<time_source> time, bool echo)
    : time_(std::move(time)), begin_(time_->now()), echo_(echo)
{
}

void journal::mix(std::string_view text) noexcept
{
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
}

void journal::note(std::string_view who, std::string_view what)
{
    if (broken_) return;
    step s{time_->now() - begin_, std::string(who).append(": ").append(what)};
    hash_ = (hash_ ^ static_cast<std::uint64_t>(s.when.count())) * 1099511628211ULL;
    mix(s.what);
    ++count_;
    if (echo_) std::printf("%s\n", text(s).c_str());
    last_.push_back(std::move(s));
    if (last_.size() > kept_steps) last_.pop_front();
}

std::string journal::text(const step& s)
{
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(s.when).count();
    char when[32];
    std::snprintf(when, sizeof when, "%9.3f  ", static_cast<double>(ms) / 1000.0);
    return when + s.what;
}

void journal::broken(std::string_view who, std::string_view what)
{
    if (broken_) return;
    note(who, std::string("BROKEN: ").append(what));
    broken_ = std::string(who).append(": ").append(what);
}

std::string journal::last_steps() const
{
    std::string out;
    for (const auto& s : last_) out.append("  ").append(text(s)).append("\n");
    return out;
}

} // namespace kubecoro::simulation
