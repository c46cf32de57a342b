#include "observe/request_meters.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr std::array<std::string_view, 6> methods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"};
constexpr std::array<std::string_view, 5> classes{"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 23> codes{"200", "201", "202", "204", "301", "302", "307", "400",
                                                 "401", "403", "404", "405", "406", "407", "408", "409",
                                                 "410", "413", "415", "422", "429", "500", "501"};
constexpr std::array<std::string_view, 3> gateway_codes{"502", "503", "504"};
constexpr std::size_t longest_label = 100;
// Enough to find resource, name and subresource behind group, version and namespace.
constexpr std::size_t most_segments = 9;

std::vector<std::string_view> segments_of(std::string_view target)
{
    auto path = target.substr(0, target.find('?'));
    std::vector<std::string_view> out;
    while (!path.empty() && out.size() < most_segments) {
        path.remove_prefix(1);
        const auto end = std::min(path.find('/'), path.size());
        if (end > 0) out.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return out;
}

bool is_name(std::string_view text) noexcept
{
    return !text.empty() && text.size() <= longest_label && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '/';
    });
}

bool is_of_namespace_itself(std::string_view segment) noexcept { return segment == "status" || segment == "finalize"; }

} // namespace

std::string_view method_label(std::string_view method) noexcept
{
    const auto* found = std::find(methods.begin(), methods.end(), method);
    return found == methods.end() ? "other" : *found;
}

std::string_view code_label(int status) noexcept
{
    if (status < 100 || status > 599) return "<error>";
    const std::array<char, 3> digits{static_cast<char>('0' + status / 100), static_cast<char>('0' + status / 10 % 10),
                                     static_cast<char>('0' + status % 10)};
    const std::string_view text(digits.data(), digits.size());
    if (const auto* found = std::find(codes.begin(), codes.end(), text); found != codes.end()) return *found;
    if (const auto* found = std::find(gateway_codes.begin(), gateway_codes.end(), text); found != gateway_codes.end())
        return *found;
    return classes[static_cast<std::size_t>(status / 100 - 1)];
}

std::string resource_label(std::string_view target)
{
    const auto segments = segments_of(target);
    std::span<const std::string_view> at(segments);
    std::string_view group;
    const bool is_core = !at.empty() && at[0] == "api";
    if (!is_core && (at.size() < 2 || at[0] != "apis")) return "none";
    if (!is_core) group = at[1];
    const std::size_t prefix = is_core ? 2 : 3;
    if (at.size() <= prefix) return "none";
    at = at.subspan(prefix);
    const bool in_namespace = at[0] == "namespaces" && at.size() > 2 && !(is_core && is_of_namespace_itself(at[2]));
    if (in_namespace) at = at.subspan(2);
    std::string out(at[0]);
    if (!group.empty()) out.append(".").append(group);
    if (at.size() > 2) out.append("/").append(at[2]);
    return is_name(out) ? out : "other";
}

bool is_stream(std::string_view target) noexcept
{
    const auto query = target.find('?');
    if (query == target.npos) return false;
    for (auto rest = target.substr(query + 1); !rest.empty();) {
        const auto pair = rest.substr(0, rest.find('&'));
        const auto name = pair.substr(0, pair.find('='));
        if (name == "watch" || name == "follow") return true;
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    }
    return false;
}

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
