#include "table/hook_table.hpp"

#include "review/admission_review_core.hpp"
#include "review/conversion_review_core.hpp"
#include "review/review_core.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

/// A webhook with its function and numbers.
struct hook_table::hook
{
    hook(hook_entry e, admission_handler h, metrics& to)
        : entry(std::move(e)),
          handler(std::move(h)),
          seconds(to.make_histogram("controller_runtime_webhook_latency_seconds", {{"webhook", entry.path()}})),
          allowed(to.make_counter("kubecoro_webhook_reviews_total", labels("allowed"))),
          denied(to.make_counter("kubecoro_webhook_reviews_total", labels("denied"))),
          failed(to.make_counter("kubecoro_webhook_reviews_total", labels("failed")))
    {
    }
    [[nodiscard]] metric_labels labels(std::string outcome) const
    {
        return {{"webhook", entry.path()}, {"outcome", std::move(outcome)}};
    }

    /// The names of members are shared with those of former reviews, unless another one is being read.
    [[nodiscard]] result<admission_request> read(std::string_view body)
    {
        const std::unique_lock lock(reading, std::try_to_lock);
        return read_admission_review(body, lock ? names : nullptr);
    }

    hook_entry entry;
    admission_handler handler;
    std::mutex reading;
    const std::shared_ptr<object_encoding> names = make_object_encoding({.values = false});
    std::shared_ptr<metrics::histogram> seconds;
    std::shared_ptr<metrics::counter> allowed, denied, failed;
};

namespace {

/// The server gives up at its own limit: an answer that names the reason must arrive before.
/// Reviews in progress; further ones are answered with 429.
constexpr std::uint32_t most_reviews = 256;
constexpr duration for_the_answer = std::chrono::milliseconds{200};

duration time_for(std::string_view query, duration configured)
{
    const auto asked = review_timeout(query);
    const auto whole = asked > duration::zero() ? std::min(asked, saturating_sum(configured, configured)) : configured;
    return std::max<duration>(whole - for_the_answer, whole / 2);
}

bool same_kind(const resource_type& a, const resource_type& b)
{
    return a.group == b.group && a.version == b.version && a.plural == b.plural;
}

std::string_view path_of(std::string_view target) noexcept { return target.substr(0, target.find('?')); }

/// One of the reviews in progress, which are bounded.
class review_place
{
public:
    review_place(std::mutex& mutex, std::uint32_t& taken, std::uint32_t most) : mutex_(mutex), taken_(taken)
    {
        const std::lock_guard lock(mutex_);
        if (taken_ < most) has_ = ++taken_ != 0;
    }
    ~review_place()
    {
        const std::lock_guard lock(mutex_);
        if (has_) --taken_;
    }
    review_place(const review_place&) = delete;
    review_place& operator=(const review_place&) = delete;
    explicit operator bool() const noexcept { return has_; }

private:
    std::mutex& mutex_;
    std::uint32_t& taken_;
    bool has_ = false;
};

} // namespace

hook_table::hook_table(surroundings with) : with_(std::move(with)) {}

result<> hook_table::add(hook_entry h, admission_handler handler)
{
    if (const auto fine = check_hook(h); !fine) return fine;
    auto made = std::make_shared<hook>(std::move(h), std::move(handler), *with_.numbers);
    const std::lock_guard lock(mutex_);
    if (!hooks_.try_emplace(made->entry.path(), made).second)
        return failure(cond::misconfigured, "the webhook " + made->entry.name() +
                                                " is there already: admission_options::name distinguishes several");
    return {};
}

result<> hook_table::add(const resource_type& spoke, const resource_type& hub, version_step up, version_step down)
{
    const std::lock_guard lock(mutex_);
    return conversions_.add(spoke, hub, std::move(up), std::move(down));
}

std::vector<hook_entry> hook_table::hooks() const
{
    const std::lock_guard lock(mutex_);
    std::vector<hook_entry> out;
    for (const auto& [path, h] : hooks_) out.push_back(h->entry);
    return out;
}

std::vector<resource_type> hook_table::converted() const
{
    const std::lock_guard lock(mutex_);
    return conversions_.hubs();
}

std::shared_ptr<hook_table::hook> hook_table::find(std::string_view path) const
{
    const std::lock_guard lock(mutex_);
    const auto found = hooks_.find(path);
    return found == hooks_.end() ? nullptr : found->second;
}

void hook_table::note_refusal(std::string_view why, std::string_view words)
{
    with_.numbers->make_counter("kubecoro_webhook_refused_requests_total", {{"why", std::string(why)}})->add();
    const std::lock_guard lock(mutex_);
    if (lines_.pass(with_.log, with_.time->now()))
        with_.log.warning("a request to a webhook was refused", {{"why", why}, {"problem", words}});
}

webhook_reply hook_table::refuse(int status, std::string_view why, std::string words)
{
    note_refusal(why, words);
    return {status, "text/plain; charset=utf-8", std::move(words) + "\n"};
}

std::optional<webhook_reply> hook_table::refuse_early(const webhook_call& head)
{
    const auto path = path_of(head.target);
    const bool converts = path == conversion_path && !converted().empty();
    if (!converts && !find(path)) return refuse(404, "path", "there is no webhook at " + printable(path, 200));
    if (head.method != "POST") return refuse(405, "method", "webhooks take POST");
    if (!is_json_type(head.content_type))
        return refuse(415, "content_type", "webhooks take application/json, not " + printable(head.content_type, 80));
    return std::nullopt;
}

std::size_t hook_table::most_bytes(std::string_view target) const noexcept
{
    return path_of(target) == conversion_path ? conversion_review.max_bytes : admission_review.max_bytes;
}

asio::awaitable<webhook_reply> hook_table::answer(webhook_call call)
{
    if (auto refused = refuse_early(call)) co_return *std::move(refused);
    const review_place place(mutex_, reviews_, most_reviews);
    if (!place) co_return refuse(429, "too_many", "too many reviews are in progress");
    auto found = find(path_of(call.target));
    if (!found) co_return convert(call);
    co_return co_await review(std::move(found), std::move(call));
}

asio::awaitable<webhook_reply> hook_table::review(std::shared_ptr<hook> h, webhook_call call)
{
    auto request = h->read(call.body);
    call.body = {};
    if (!request) co_return refuse(400, "review", request.error().message());
    if (!same_kind(request->resource, h->entry.type) || request->subresource != h->entry.options.subresource)
        co_return refuse(400, "resource",
                         "the webhook " + h->entry.name() + " does not review " +
                             printable(request->resource.display_name() + "/" + request->subresource, 200) + " of " +
                             printable(request->resource.api_version(), 80));
    const auto query = std::string_view(call.target).substr(std::min(call.target.find('?') + 1, call.target.size()));
    const auto limit = time_for(query, h->entry.options.timeout);
    const auto began = with_.time->now();
    request->deadline = time_after(began, limit);
    const std::function<asio::awaitable<result<admission_outcome>>()> call_it = [&] {
        return h->handler.call(*request);
    };
    auto called = catch_failure(call_it);
    if (h->handler.waits)
        called = with_timeout(*with_.time, limit, "the webhook " + h->entry.name(), std::move(called));
    auto outcome = co_await std::move(called);
    h->seconds->observe(std::chrono::duration<double>(with_.time->now() - began).count());
    if (!outcome) {
        note_failure(*h, *request, outcome.error());
        const auto words = "the webhook failed: " + printable(outcome.error().describe(), 1000);
        outcome =
            admission_outcome{h->entry.options.ignore_failures ? verdict::allowed().warn(h->entry.name() + ": " + words)
                                                               : verdict::denied(words, 500),
                              {}};
    } else {
        (outcome->answer.is_allowed() ? h->allowed : h->denied)->add();
    }
    co_return webhook_reply{200, "application/json",
                            write_admission_review(request->uid, outcome->answer, outcome->patch)};
}

void hook_table::note_failure(hook& h, const admission_request& r, const failure& why)
{
    h.failed->add();
    const std::lock_guard lock(mutex_);
    if (lines_.pass(with_.log, with_.time->now()))
        with_.log.warning("a webhook failed", {{"webhook", h.entry.name()},
                                               {"object", printable(to_string(r.key), 400)},
                                               {"problem", printable(why.describe(), 1000)}});
}

webhook_reply hook_table::convert(const webhook_call& call)
{
    const auto request = read_conversion_review(call.body);
    if (!request) return refuse(400, "review", request.error().message());
    auto done = convert_all(*request, [&](const boost::json::object& o, std::string_view v) { return convert(o, v); });
    const metric_labels labels{{"webhook", conversion_path},
                               {"outcome", done.problem.empty() ? "converted" : "failed"}};
    with_.numbers->make_counter("kubecoro_webhook_reviews_total", labels)->add();
    if (!done.problem.empty()) {
        const std::lock_guard lock(mutex_);
        if (lines_.pass(with_.log, with_.time->now()))
            with_.log.warning("a conversion failed", {{"problem", done.problem}});
    }
    return {200, "application/json", std::move(done.body)};
}

/// Conversions are added before the first request: only their functions are called without the mutex.
result<boost::json::object> hook_table::convert(const boost::json::object& from, std::string_view wanted) const
{
    return conversions_.convert(from, wanted);
}

} // namespace kubecoro::detail
