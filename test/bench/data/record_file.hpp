// A file of byte strings, each behind its length (four bytes, little-endian), which passes objects between bench
// programs.
#pragma once

#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace kubecoro::bench {

/// Appends records to a new file. One thread at a time.
class record_writer
{
public:
    /// Errors: cond::misconfigured with the path.
    [[nodiscard]] static result<record_writer> create(const std::string& path);

    void add(std::string_view record);
    /// Flushes the file and reports whether everything was written.
    [[nodiscard]] result<> finish();

private:
    explicit record_writer(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::ofstream out_;
};

/// Reads the records of a file one after another. One thread at a time.
class record_reader
{
public:
    /// A longer record indicates a damaged file.
    static constexpr std::uint32_t max_record = 64 * 1024 * 1024;

    /// Errors: cond::misconfigured with the path.
    [[nodiscard]] static result<record_reader> open(const std::string& path);

    /// The next record into `out`; false at the end. Errors: cond::corrupt when the file ends within a record.
    [[nodiscard]] result<bool> next(std::string& out);

private:
    explicit record_reader(std::string path) : path_(std::move(path)) {}

    std::string path_;
    std::ifstream in_;
};

} // namespace kubecoro::bench
