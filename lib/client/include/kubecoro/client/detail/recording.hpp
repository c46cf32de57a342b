#pragma once
// The file of a recording_transport: a line about the file, and records. Sans-io.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The kinds of records, by their letters in the file.
enum class record_kind : char
{
    /// "METHOD TARGET", "Name: value" lines, an empty line, the body.
    request = 'R',
    /// The status, "Name: value" lines.
    answer = 'A',
    /// Bytes of the body, as they arrived.
    data = 'D',
    /// The end of the request: empty, or why it failed.
    end = 'E',
    /// The number of records that are missing here.
    lost = 'L',
    /// The limit was reached: nothing follows.
    full = 'F'
};

/// One record. Views the text that it was read from.
struct record_view
{
    record_kind kind = record_kind::data;
    /// Since the beginning of the recording.
    std::chrono::microseconds at{0};
    /// The number of its request, from 1; 0 = it belongs to none.
    std::uint64_t id = 0;
    std::string_view content = {};
};

/// The text of a recording.
struct record_list
{
    /// The calendar time of the beginning.
    wall_time begin = {};
    /// 1 = the file has the beginning; else what was before it is in earlier files.
    std::uint64_t part = 1;
    std::vector<record_view> records = {};
    /// Bytes after the last whole record: the program ended while it wrote.
    std::size_t cut_off = 0;
};

/// The first line. @param begin  The same in all parts of a recording.
[[nodiscard]] std::string recording_head(wall_time begin, std::uint64_t part);
/// Appends one record, whose content has two parts.
void append_record(std::string& out, record_kind kind, std::chrono::microseconds at, std::uint64_t id,
                   std::string_view first, std::string_view second = {});
/// An upper bound of the bytes of a record beside its content.
inline constexpr std::size_t record_overhead = 72;

/// Bytes of the longest recording that is read.
inline constexpr std::size_t longest_recording = std::size_t{1} << 30;
/// Reads up to the last whole record. Errors: corrupt where no record can begin, invalid for another version.
[[nodiscard]] result<record_list> read_records(std::string_view text);

/// An event of a watch, or of a streamed list.
struct recorded_event
{
    std::chrono::microseconds at{0};
    /// The index of its record, which orders it among requests.
    std::size_t order = 0;
    /// One JSON text.
    std::string text = {};
};

/// One request with its answer, as JSON.
struct recorded_exchange
{
    std::uint64_t id = 0;
    std::chrono::microseconds sent{0};
    /// The index of the request's record.
    std::size_t order = 0;
    /// Empty when the request itself is in an earlier file.
    std::string method = {};
    std::string target = {};
    std::string content_type = {};
    std::string sent_body = {};
    /// That of the head; empty = none was received.
    std::optional<std::chrono::microseconds> answered = {};
    int status = 0;
    std::string retry_after = {};
    /// The whole body; empty for a watch.
    std::string body = {};
    std::vector<recorded_event> events = {};
    std::optional<std::chrono::microseconds> ended = {};
    /// Why it failed; empty = it did not.
    std::string broken = {};
    /// The client has dropped it.
    bool dropped = false;

    /// Whether it is a watch.
    [[nodiscard]] bool is_watch() const noexcept;
};

/// The words for the end of an answer that its reader has not read to its end.
inline constexpr std::string_view dropped_word = "dropped";

/// The exchanges in the order of their requests, with bodies decoded to JSON. A body that cannot be decoded stays as it was.
[[nodiscard]] std::vector<recorded_exchange> exchanges_of(const record_list& all);

} // namespace kubecoro::detail
