#include <kubecoro/endpoints/otlp_file.hpp>

#include <kubecoro/base/printable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace json = boost::json;

namespace kubecoro {
namespace {

/// 64-bit integers are texts in this protocol. Texts become UTF-8, which they need not be.
struct as_value
{
    json::object operator()(const std::string& v) const { return {{"stringValue", printable(v)}}; }
    json::object operator()(std::int64_t v) const { return {{"intValue", std::to_string(v)}}; }
    json::object operator()(double v) const
    {
        if (!std::isfinite(v)) return (*this)(std::to_string(v)); // JSON has no such numbers
        return {{"doubleValue", v}};
    }
    json::object operator()(bool v) const { return {{"boolValue", v}}; }
};

json::object attribute(const std::string& name, json::object value)
{
    return {{"key", printable(name)}, {"value", std::move(value)}};
}

int number_of(span_kind k) noexcept
{
    switch (k) {
    case span_kind::internal:
        return 1;
    case span_kind::client:
        return 3;
    case span_kind::producer:
        return 4;
    case span_kind::consumer:
        return 5;
    }
    return 0;
}

std::string nanoseconds(wall_time t)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count());
}

json::array attributes_of(const span_data& s)
{
    json::array out;
    for (const auto& a : s.attributes) out.push_back(attribute(a.name, std::visit(as_value(), a.value)));
    if (!s.error.empty()) out.push_back(attribute("error.type", as_value()(s.error)));
    return out;
}

json::array links_of(const span_data& s)
{
    json::array out;
    for (const auto& to : s.links)
        out.push_back(json::object{{"traceId", to.trace_text()}, {"spanId", to.span_text()}});
    return out;
}

json::object span_of(const span_data& s)
{
    const auto end = s.start + std::chrono::duration_cast<wall_time::duration>(s.took);
    json::object out{{"traceId", s.context.trace_text()},
                     {"spanId", s.context.span_text()},
                     {"name", printable(s.name)},
                     {"kind", number_of(s.kind)},
                     {"startTimeUnixNano", nanoseconds(s.start)},
                     {"endTimeUnixNano", nanoseconds(end)},
                     {"attributes", attributes_of(s)}};
    if (s.parent != 0) out["parentSpanId"] = trace_context{.span = s.parent}.span_text();
    if (!s.links.empty()) out["links"] = links_of(s);
    if (s.links_left_out != 0) out["droppedLinksCount"] = s.links_left_out;
    if (!s.error.empty()) out["status"] = json::object{{"code", 2}};
    return out;
}

} // namespace

std::string to_otlp_line(const span_data& s, const otlp_resource& from)
{
    json::array resource;
    if (!from.service.empty()) resource.push_back(attribute("service.name", as_value()(from.service)));
    if (!from.version.empty()) resource.push_back(attribute("service.version", as_value()(from.version)));
    json::object scope{{"scope", {{"name", "kubecoro"}}}, {"spans", json::array{span_of(s)}}};
    json::object of_program{{"resource", {{"attributes", std::move(resource)}}},
                            {"scopeSpans", json::array{std::move(scope)}}};
    return json::serialize(json::object{{"resourceSpans", json::array{std::move(of_program)}}}) + '\n';
}

namespace {

struct closing
{
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
};
using open_file = std::unique_ptr<std::FILE, closing>;

class line_file final : public span_sink
{
public:
    line_file(std::string path, otlp_resource from, std::size_t max_bytes)
        : path_(std::move(path)), from_(std::move(from)), max_bytes_(max_bytes)
    {
    }

    /// @param mode  "a" continues a file, "w" empties it.
    [[nodiscard]] result<> open(std::string mode)
    {
        mode += 'e'; // not for credential plugins and other children
        file_.reset(std::fopen(path_.c_str(), mode.c_str()));
        if (!file_) {
            const auto why = std::error_code(errno, std::generic_category()).message();
            return failure(cond::misconfigured, "the file for traces " + path_ + " cannot be opened: " + why);
        }
        const auto at = std::fseek(file_.get(), 0, SEEK_END) == 0 ? std::ftell(file_.get()) : 0;
        bytes_ = at > 0 ? static_cast<std::size_t>(at) : 0;
        return {};
    }

    void ended(const span_data& s) override
    {
        const auto line = to_otlp_line(s, from_);
        std::lock_guard lock(mutex_);
        if (max_bytes_ != 0 && bytes_ != 0 && bytes_ + line.size() > max_bytes_) begin_another();
        if (!file_) return;
        if (is_cut_) write("\n");
        is_cut_ = !write(line);
    }

private:
    void begin_another()
    {
        file_.reset();
        // Where the name cannot be changed the spans so far are lost: the limit counts.
        const bool kept = std::rename(path_.c_str(), (path_ + ".1").c_str()) == 0;
        (void)open(kept ? "a" : "w"); // fails as the writing of a line does
    }
    /// Returns whether all of it was written.
    bool write(std::string_view text)
    {
        const auto written = std::fwrite(text.data(), 1, text.size(), file_.get());
        bytes_ += written;
        return std::fflush(file_.get()) == 0 && written == text.size();
    }

    const std::string path_;
    const otlp_resource from_;
    const std::size_t max_bytes_;
    std::mutex mutex_;
    open_file file_;        // under the mutex
    std::size_t bytes_ = 0; // under the mutex
    bool is_cut_ = false;   // the last line; under the mutex
};

} // namespace

result<std::shared_ptr<span_sink>> otlp_file(std::string path, otlp_resource resource, std::size_t max_bytes)
{
    auto made = std::make_shared<line_file>(std::move(path), std::move(resource), max_bytes);
    if (const auto opened = made->open("a"); !opened) return opened.error();
    return std::shared_ptr<span_sink>(std::move(made));
}

} // namespace kubecoro
