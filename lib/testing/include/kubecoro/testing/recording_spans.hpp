#pragma once

#include <kubecoro/base/tracer.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing {

/** Records spans.

        auto spans = std::make_shared<recording_spans>();
        controller_options options{.name = "subject", .traces = {.tracer = tracer(spans, {.seed = 1})}};

    Thread safe. */
class recording_spans final : public span_sink
{
public:
    void ended(const span_data& s) override;

    /// Every span, in the order in which they ended.
    [[nodiscard]] std::vector<span_data> all() const;
    /// Those of one name.
    [[nodiscard]] std::vector<span_data> named(std::string_view name) const;
    /// Forgets what was recorded.
    void clear();

private:
    mutable std::mutex mutex_;
    std::vector<span_data> spans_; // under the mutex
};

/// An attribute of a span as text; empty when it has none of that name.
[[nodiscard]] std::string attribute(const span_data& s, std::string_view name);

} // namespace kubecoro::testing
