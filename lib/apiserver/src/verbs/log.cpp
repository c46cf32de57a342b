// Answers GET of a pod's log: the whole, or a stream that follows it.
#include "objects/status_errors.hpp"
#include "text/json_text.hpp"
#include "verbs/exchange.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace kubecoro::apiserver {
namespace {

struct log_query
{
    container_address at;
    bool follow = false;
    bool previous = false;
    bool timestamps = false;
    std::optional<std::int64_t> tail_lines = {};
    std::optional<std::int64_t> limit_bytes = {};
    std::optional<wall_time> since = {};
};

answer<std::optional<std::int64_t>> read_number(const exchange& x, std::string_view key)
{
    const auto text = x.target.value(key);
    if (text.empty()) return std::optional<std::int64_t>{};
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size())
        return errors::bad_request("strconv.ParseInt: parsing " + quote(text) + ": invalid syntax");
    return std::optional<std::int64_t>{value};
}

/// Moments before 1970 count as 1970.
wall_time seconds_before(wall_time now, std::int64_t seconds)
{
    const auto since_epoch = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    return seconds > since_epoch ? wall_time{} : now - std::chrono::seconds{seconds};
}

status_cause at_least(std::string_view field, std::int64_t value, std::string_view rule)
{
    return errors::invalid_value(std::string(field), std::to_string(value),
                                 "must be greater than " + std::string(rule));
}

answer<log_query> read_log_query(const exchange& x)
{
    log_query q;
    q.at = {x.route.ns, x.route.name, std::string(x.target.value("container"))};
    q.follow = x.target.flag("follow");
    q.previous = x.target.flag("previous");
    q.timestamps = x.target.flag("timestamps");
    const auto tail = read_number(x, "tailLines");
    const auto limit = read_number(x, "limitBytes");
    const auto since_seconds = read_number(x, "sinceSeconds");
    for (const auto* number : {&tail, &limit, &since_seconds})
        if (!*number) return number->error();
    q.tail_lines = *tail;
    q.limit_bytes = *limit;

    std::vector<status_cause> causes;
    const auto since_time = x.target.value("sinceTime");
    if (wall_time since; !since_time.empty()) {
        if (!parse_time(since_time, since))
            return errors::bad_request("parsing time " + quote(since_time) +
                                       " as \"2006-01-02T15:04:05Z07:00\": cannot parse " + quote(since_time) +
                                       " as \"2006\"");
        q.since = since;
    }
    if (q.tail_lines && *q.tail_lines < 0) causes.push_back(at_least("tailLines", *q.tail_lines, "or equal to 0"));
    if (q.limit_bytes && *q.limit_bytes < 1) causes.push_back(at_least("limitBytes", *q.limit_bytes, "0"));
    if (*since_seconds && q.since)
        causes.push_back(errors::forbidden_field("", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
    else if (*since_seconds && **since_seconds < 1)
        causes.push_back(at_least("sinceSeconds", **since_seconds, "0"));
    else if (*since_seconds)
        q.since = seconds_before(x.now, **since_seconds);
    if (!causes.empty()) return errors::invalid("PodLogOptions", "", x.route.name, std::move(causes));
    return q;
}

std::string timestamp(wall_time t)
{
    const auto since_second = t.time_since_epoch() % std::chrono::seconds{1};
    auto digits = std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(since_second).count());
    digits.insert(0, 9 - std::min<std::size_t>(9, digits.size()), '0');
    auto text = format_time(t);
    text.insert(text.size() - 1, "." + digits);
    return text + " ";
}

/// Reads one run of a container, as far as a query asks for it.
class log_reader
{
public:
    log_reader(std::shared_ptr<const container_run> run, const log_query& q)
        : run_(std::move(run)),
          next_(run_->first()),
          timestamps_(q.timestamps),
          since_(q.since.value_or(wall_time::min())),
          left_(q.limit_bytes ? static_cast<std::size_t>(*q.limit_bytes) : std::numeric_limits<std::size_t>::max())
    {
        const auto held = run_->last() - run_->first();
        if (q.tail_lines) next_ = run_->last() - std::min(held, static_cast<std::uint64_t>(*q.tail_lines));
    }

    /// Appends what is there, until `max_bytes` are reached. @return whether there is more.
    bool read(std::string& out, std::size_t max_bytes)
    {
        next_ = std::max(next_, run_->first());
        while (left_ > 0 && next_ < run_->last() && out.size() < max_bytes) write(out, run_->at(next_++));
        return left_ > 0 && next_ < run_->last();
    }

    /// Whether all lines were taken.
    [[nodiscard]] bool is_over() const { return left_ == 0 || (run_->ended() && next_ >= run_->last()); }

private:
    void write(std::string& out, const log_entry& entry)
    {
        if (entry.time < since_) return;
        std::string line = timestamps_ && !inside_line_ ? timestamp(entry.time) + entry.text : entry.text;
        inside_line_ = !entry.text.ends_with('\n');
        if (line.size() > left_) line.resize(left_);
        left_ -= line.size();
        out += line;
    }

    std::shared_ptr<const container_run> run_;
    std::uint64_t next_;
    bool timestamps_;
    wall_time since_;
    std::size_t left_;
    bool inside_line_ = false;
};

class followed_log final : public watch_body
{
public:
    explicit followed_log(log_reader reader) : reader_(std::move(reader)) {}

    watch_output next(wall_time, std::size_t max_bytes) override
    {
        watch_output out;
        std::string part;
        out.more = reader_.read(part, max_bytes);
        out.ended = reader_.is_over();
        if (!part.empty()) out.lines.push_back(std::make_shared<const std::string>(std::move(part)));
        return out;
    }
    std::optional<wall_time> wake_at() const override { return {}; }
    std::string_view resource() const noexcept override { return cluster_state_core::log_resource; }

private:
    log_reader reader_;
};

} // namespace

http_response answer_log(exchange& x)
{
    const auto q = read_log_query(x);
    if (!q) return respond(q.error());
    const auto place = x.state.find_container(q->at);
    if (!place) return respond(place.error());
    auto& logs = x.state.logs();
    auto run = q->previous ? logs.previous(place->uid, place->container) : logs.open(place->uid, place->container);
    if (!run)
        return respond(errors::bad_request("previous terminated container \"" + place->container + "\" in pod \"" +
                                           x.route.name + "\" not found"));
    http_response r;
    r.headers = {{"Content-Type", "text/plain"}};
    log_reader reader(std::move(run), *q);
    if (q->follow)
        r.watch = std::make_unique<followed_log>(std::move(reader));
    else
        (void)reader.read(r.body, std::numeric_limits<std::size_t>::max());
    return r;
}

http_response answer_log_append(exchange& x)
{
    const container_address at{x.route.ns, x.route.name, std::string(x.target.value("container"))};
    auto how = log_change::append;
    if (x.target.flag("restart")) how = log_change::restart;
    if (x.target.flag("end")) how = log_change::end;
    const auto written = x.state.write_log(at, how, x.request.body, x.now);
    if (!written) return respond(written.error());
    return json_response(success_text(200));
}

} // namespace kubecoro::apiserver
