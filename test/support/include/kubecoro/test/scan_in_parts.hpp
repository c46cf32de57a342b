// Encodes JSON with this project's scanner, given in parts, for comparison with boost_tape().
#pragma once

#include "json/json_scanner.hpp"
#include "json/tape_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::test {

/// Feeds a scanner with parts of equal size.
class scan_in_parts
{
public:
    explicit scan_in_parts(std::size_t max_depth)
        : tape_({.max_object_bytes = detail::largest_tape, .max_depth = max_depth}, nothing_, nullptr),
          scanner_(max_depth)
    {
    }

    /// The bytes of the self-contained tape of one JSON value; nothing when the text is refused.
    std::optional<std::vector<unsigned char>> operator()(std::string_view json, std::size_t size)
    {
        tape_.clear(false);
        scanner_.reset();
        detail::tape_sink sink(tape_, detail::largest_tape);
        auto o = detail::json_scanner::outcome::unfinished;
        while (!json.empty()) {
            // A separate copy, so that a sanitizer detects reads beyond the part.
            const std::vector<char> part(json.begin(),
                                         json.begin() + static_cast<std::ptrdiff_t>(std::min(size, json.size())));
            json.remove_prefix(part.size());
            const char* at = part.data();
            o = scanner_.run(at, part.data() + part.size(), sink);
            const bool all = at == part.data() + part.size();
            if (!all ||
                (o != detail::json_scanner::outcome::unfinished && o != detail::json_scanner::outcome::complete))
                return std::nullopt;
        }
        if (o == detail::json_scanner::outcome::unfinished) o = scanner_.finish(sink);
        if (o != detail::json_scanner::outcome::complete) return std::nullopt;
        const auto bytes = tape_.tape().bytes();
        return std::vector<unsigned char>(bytes.begin(), bytes.end());
    }

private:
    detail::field_filter nothing_;
    detail::pruned_tape tape_;
    detail::json_scanner scanner_;
};

} // namespace kubecoro::test
