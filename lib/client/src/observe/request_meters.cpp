#include "observe/request_meters.hpp"

#include "observe/request_labels.hpp"

#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

double seconds(duration d) { return std::chrono::duration<double>(d).count(); }

class measured final : public answer
{
public:
    measured(std::unique_ptr<answer> of, std::shared_ptr<request_line> line, std::shared_ptr<time_source> time,
             time_point begun)
        : of_(std::move(of)), line_(std::move(line)), time_(std::move(time)), begun_(begun)
    {
    }

    const answer_head& head() const noexcept override { return of_->head(); }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        auto piece = co_await of_->read_some();
        if (piece && !piece->empty()) bytes_ += piece->size();
        if (piece && piece->empty()) note_end();
        co_return piece;
    }

    std::string_view read_arrived() override
    {
        const auto piece = of_->read_arrived();
        bytes_ += piece.size();
        if (piece.empty() && of_->at_end()) note_end();
        return piece;
    }
    bool at_end() const noexcept override { return of_->at_end(); }

    void read_in_bulk(bool on) noexcept override { of_->read_in_bulk(on); }

private:
    void note_end()
    {
        if (line_) std::exchange(line_, nullptr)->finished(bytes_, time_->now() - begun_);
    }

    std::unique_ptr<answer> of_;
    std::shared_ptr<request_line> line_;
    std::shared_ptr<time_source> time_;
    time_point begun_;
    std::uint64_t bytes_ = 0;
};

} // namespace

request_line::request_line(std::shared_ptr<metrics> sink, std::string_view method, std::string_view host,
                           std::string resource)
    : sink_(std::move(sink)), method_(method), host_(host), resource_(std::move(resource))
{
    first_byte_ = histogram("kubecoro_client_first_byte_seconds");
    whole_ = histogram("rest_client_request_duration_seconds");
    request_size_ = histogram("rest_client_request_size_bytes");
    response_size_ = histogram("rest_client_response_size_bytes");
}

std::shared_ptr<metrics::histogram> request_line::histogram(std::string_view name)
{
    return sink_->make_histogram(name, {{"verb", method_}, {"host", host_}, {"resource", resource_}});
}

void request_line::count(counters& in, std::string_view name, std::string_view label, int status)
{
    const auto code = code_label(status);
    const std::lock_guard lock(mutex_);
    auto& found = in[code];
    if (!found)
        found = sink_->make_counter(
            name,
            {{"code", std::string(code)}, {std::string(label), method_}, {"host", host_}, {"resource", resource_}});
    found->add();
}

void request_line::answered(int status, duration took)
{
    count(answers_, "rest_client_requests_total", "method", status);
    if (status != 0) first_byte_->observe(seconds(took));
}

void request_line::retried(int status) { count(retries_, "rest_client_request_retries_total", "verb", status); }

void request_line::sent(std::size_t body_bytes)
{
    if (body_bytes != 0) request_size_->observe(static_cast<double>(body_bytes));
}

void request_line::finished(std::uint64_t body_bytes, duration took)
{
    whole_->observe(seconds(took));
    response_size_->observe(static_cast<double>(body_bytes));
}

void request_line::limited(duration took)
{
    const std::lock_guard lock(mutex_);
    if (!limiter_) limiter_ = histogram("rest_client_rate_limiter_duration_seconds");
    limiter_->observe(seconds(took));
}

request_meters::request_meters(std::shared_ptr<metrics> sink, std::string host)
    : sink_(std::move(sink)), host_(std::move(host))
{
}

std::shared_ptr<request_line> request_meters::line(std::string_view method, std::string_view target)
{
    auto resource = resource_label(target);
    const auto label = method_label(method);
    const std::lock_guard lock(mutex_);
    auto& known = by_method_[label];
    auto found = known.find(resource);
    if (found == known.end() && known.size() >= most_resources) {
        resource = "other";
        found = known.find(resource);
    }
    if (found == known.end())
        found = known.emplace(resource, std::make_shared<request_line>(sink_, label, host_, resource)).first;
    return found->second;
}

std::unique_ptr<answer> measured_answer(std::unique_ptr<answer> of, std::shared_ptr<request_line> line,
                                        std::shared_ptr<time_source> time, time_point begun)
{
    return std::make_unique<measured>(std::move(of), std::move(line), std::move(time), begun);
}

} // namespace kubecoro::detail
