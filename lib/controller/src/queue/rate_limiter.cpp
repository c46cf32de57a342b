#include <kubecoro/controller/rate_limiter.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kubecoro {
namespace {

class exponential final : public rate_limiter
{
public:
    exponential(duration initial, duration limit) : initial_(initial), limit_(limit) {}

    [[nodiscard]] duration delay(unsigned failures, time_point) const override
    {
        // Compares by shifting the limit down, to avoid overflow.
        constexpr unsigned bits = 62;
        if (failures > bits || initial_.count() > (limit_.count() >> failures)) return limit_;
        return duration(initial_.count() << failures);
    }

private:
    duration initial_;
    duration limit_;
};

class fast_slow final : public rate_limiter
{
public:
    fast_slow(duration fast, duration slow, unsigned fast_attempts)
        : fast_(fast), slow_(slow), fast_attempts_(fast_attempts)
    {
    }

    [[nodiscard]] duration delay(unsigned failures, time_point) const override
    {
        return failures < fast_attempts_ ? fast_ : slow_;
    }

private:
    duration fast_;
    duration slow_;
    unsigned fast_attempts_;
};

class bucket final : public rate_limiter
{
public:
    bucket(double per_second, double burst) : per_second_(per_second), burst_(std::max(burst, 1.0)), tokens_(burst_) {}

    [[nodiscard]] duration delay(unsigned, time_point now) const override
    {
        const double missing = 1.0 - tokens_at(now);
        if (missing <= 0) return duration::zero();
        const std::chrono::duration<double> wait(missing / per_second_);
        return wait < longest ? std::chrono::ceil<duration>(wait) : std::chrono::duration_cast<duration>(longest);
    }
    void taken(time_point now) override
    {
        tokens_ = tokens_at(now) - 1.0;
        last_ = std::max(last_.value_or(now), now);
    }

private:
    /// Negative when future tokens are already taken. A clock that goes back neither adds nor removes tokens.
    [[nodiscard]] double tokens_at(time_point now) const
    {
        if (!last_ || now <= *last_) return tokens_;
        return std::min(burst_, tokens_ + std::chrono::duration<double>(now - *last_).count() * per_second_);
    }

    static constexpr std::chrono::hours longest{24 * 365};
    double per_second_;
    double burst_;
    double tokens_;
    std::optional<time_point> last_;
};

class max_of final : public rate_limiter
{
public:
    explicit max_of(std::vector<std::unique_ptr<rate_limiter>> limiters) : limiters_(std::move(limiters)) {}

    [[nodiscard]] duration delay(unsigned failures, time_point now) const override
    {
        duration longest{0};
        for (const auto& l : limiters_) longest = std::max(longest, l->delay(failures, now));
        return longest;
    }
    void taken(time_point now) override
    {
        for (const auto& l : limiters_) l->taken(now);
    }

private:
    std::vector<std::unique_ptr<rate_limiter>> limiters_;
};

class max_wait final : public rate_limiter
{
public:
    max_wait(std::unique_ptr<rate_limiter> inner, duration longest) : inner_(std::move(inner)), longest_(longest) {}

    [[nodiscard]] duration delay(unsigned failures, time_point now) const override
    {
        return std::min(inner_->delay(failures, now), longest_);
    }
    void taken(time_point now) override { inner_->taken(now); }

private:
    std::unique_ptr<rate_limiter> inner_;
    duration longest_;
};

} // namespace

std::unique_ptr<rate_limiter> exponential_limiter(saturating_duration initial, saturating_duration limit)
{
    return std::make_unique<exponential>(initial, limit);
}

std::unique_ptr<rate_limiter> fast_slow_limiter(saturating_duration fast, saturating_duration slow,
                                                unsigned fast_attempts)
{
    return std::make_unique<fast_slow>(fast, slow, fast_attempts);
}

std::unique_ptr<rate_limiter> bucket_limiter(double per_second, double burst)
{
    return std::make_unique<bucket>(per_second, burst);
}

std::unique_ptr<rate_limiter> max_of_limiter(std::vector<std::unique_ptr<rate_limiter>> limiters)
{
    return std::make_unique<max_of>(std::move(limiters));
}

std::unique_ptr<rate_limiter> max_wait_limiter(std::unique_ptr<rate_limiter> inner, saturating_duration longest)
{
    return std::make_unique<max_wait>(std::move(inner), longest);
}

std::unique_ptr<rate_limiter> default_controller_limiter()
{
    std::vector<std::unique_ptr<rate_limiter>> both;
    both.push_back(exponential_limiter());
    both.push_back(bucket_limiter());
    return max_of_limiter(std::move(both));
}

std::unique_ptr<rate_limiter> default_item_limiter()
{
    return exponential_limiter(std::chrono::milliseconds{1}, std::chrono::seconds{1000});
}

} // namespace kubecoro
