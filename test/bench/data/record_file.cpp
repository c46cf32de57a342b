#include "record_file.hpp"

#include <array>

namespace kubecoro::bench {
namespace {

std::array<char, 4> length_bytes(std::uint32_t n)
{
    return {static_cast<char>(n), static_cast<char>(n >> 8), static_cast<char>(n >> 16), static_cast<char>(n >> 24)};
}

std::uint32_t length_of(const std::array<char, 4>& bytes)
{
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) n |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return n;
}

} // namespace

result<record_writer> record_writer::create(const std::string& path)
{
    record_writer made(path);
    made.out_.open(path, std::ios::binary | std::ios::trunc);
    if (!made.out_) return failure{cond::misconfigured, "cannot create " + path};
    return made;
}

void record_writer::add(std::string_view record)
{
    const auto length = length_bytes(static_cast<std::uint32_t>(record.size()));
    out_.write(length.data(), length.size());
    out_.write(record.data(), static_cast<std::streamsize>(record.size()));
}

result<> record_writer::finish()
{
    out_.close();
    if (!out_) return failure{cond::misconfigured, "cannot completely write " + path_};
    return {};
}

result<record_reader> record_reader::open(const std::string& path)
{
    record_reader made(path);
    made.in_.open(path, std::ios::binary);
    if (!made.in_) return failure{cond::misconfigured, "cannot read " + path};
    return made;
}

result<bool> record_reader::next(std::string& out)
{
    std::array<char, 4> length{};
    in_.read(length.data(), length.size());
    if (in_.gcount() == 0) return false;
    const std::uint32_t size = length_of(length);
    if (!in_ || size > max_record) return failure{cond::corrupt, path_ + " is not a file of records"};
    out.resize(size);
    in_.read(out.data(), size);
    if (!in_) return failure{cond::corrupt, path_ + " ends within a record"};
    return true;
}

} // namespace kubecoro::bench
