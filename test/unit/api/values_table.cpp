// Quantities, times, durations and percentages, compared with what Kubernetes makes of them: lib/api/schemas/extract/values
// writes the table and describes its columns.
#include <kubecoro/api/go_duration.hpp>
#include <kubecoro/api/int_or_string.hpp>
#include <kubecoro/api/quantity.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/value_json.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/sample_file.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;

namespace {

using row = std::vector<std::string_view>;

/// The rows, by their first column, without it.
class table
{
public:
    table() : text_(test::read_samples(KUBECORO_TEST_DATA "/values.tsv.zst"))
    {
        for (std::string_view rest = text_; !rest.empty();) {
            row cells = split(take_until(rest, '\n'));
            const auto kind = cells.front();
            cells.erase(cells.begin());
            rows_[kind].push_back(std::move(cells));
        }
    }
    [[nodiscard]] const std::vector<row>& rows(std::string_view kind) const { return rows_.at(kind); }

private:
    static std::string_view take_until(std::string_view& rest, char end)
    {
        const auto size = rest.find(end);
        const auto out = rest.substr(0, size);
        rest.remove_prefix(size == rest.npos ? rest.size() : size + 1);
        return out;
    }
    static row split(std::string_view line)
    {
        row cells;
        // An empty cell may be the last one.
        for (std::size_t n = 1 + static_cast<std::size_t>(std::ranges::count(line, '\t')); n != 0; --n)
            cells.push_back(take_until(line, '\t'));
        return cells;
    }

    std::string text_;
    std::map<std::string_view, std::vector<row>> rows_;
};

const std::vector<row>& rows(std::string_view kind)
{
    static const table all;
    return all.rows(kind);
}

bool is_refused(const row& r) { return r.back() == "-"; }

/// The documented result.
std::string result_of(std::string_view cell) { return std::string(cell.substr(cell.starts_with('!') ? 1 : 0)); }

std::int64_t number(std::string_view cell)
{
    std::int64_t out = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), out);
    REQUIRE(read.ptr == cell.data() + cell.size());
    return out;
}

/// Compares the canonical texts of a type.
template<class T>
void check_texts(std::string_view kind, std::size_t least, std::size_t result_column = 1)
{
    std::size_t accepted = 0;
    for (const auto& r : rows(kind)) {
        INFO(kind << " '" << r[0] << "'");
        const auto parsed = T::parse(r[0]);
        REQUIRE(parsed.has_value() == !is_refused(r));
        if (!parsed) {
            CHECK(parsed.error() == cond::invalid);
            continue;
        }
        ++accepted;
        CHECK(parsed->text() == r[0]);
        CHECK(parsed->canonical() == result_of(r[result_column]));
    }
    CHECK(accepted > least);
}

/// Compares values read from JSON, and the JSON that the canonical ones write.
template<class T>
std::size_t check_json(std::string_view type)
{
    std::size_t accepted = 0;
    for (const auto& r : rows("json")) {
        if (r[0] != type) continue;
        INFO(type << " " << r[1]);
        const auto read = from_json<T>(boost::json::parse(r[1]));
        REQUIRE(read.has_value() == !is_refused(r));
        if (!read) {
            CHECK(read.error() == cond::invalid);
            continue;
        }
        ++accepted;
        const auto expected = from_json<T>(boost::json::parse(r[2]));
        REQUIRE(expected);
        CHECK(*read == *expected);
        CHECK(boost::json::serialize(to_json(*expected)) == r[2]);
    }
    return accepted;
}

} // namespace

TEST_CASE("values as Kubernetes has them: quantities", "[api][values]")
{
    check_texts<quantity>("quantity", 2000);
    for (const auto& r : rows("quantity")) {
        if (is_refused(r)) continue;
        INFO("quantity '" << r[0] << "'");
        const auto q = *quantity::parse(r[0]);
        CHECK(std::to_string(q.value()) == result_of(r[2]));
        CHECK(std::to_string(q.milli_value()) == result_of(r[3]));
    }
}

TEST_CASE("values as Kubernetes has them: arithmetic of quantities", "[api][values]")
{
    CHECK(rows("arithmetic").size() > 1500);
    for (const auto& r : rows("arithmetic")) {
        INFO("quantities '" << r[0] << "' and '" << r[1] << "'");
        const auto a = *quantity::parse(r[0]);
        const auto b = *quantity::parse(r[1]);
        const auto order = a <=> b;
        CHECK((order < 0 ? -1 : order > 0 ? 1 : 0) == number(r[2]));
        CHECK((a == b) == (r[2] == "0"));
        CHECK((a + b).text() == result_of(r[3]));
        CHECK((a - b).text() == result_of(r[4]));
        CHECK((a * number(r[5])).text() == result_of(r[6]));
    }
}

TEST_CASE("values as Kubernetes has them: times", "[api][values]")
{
    check_texts<timestamp>("time", 300);
    check_texts<micro_timestamp>("microTime", 150);
}

TEST_CASE("values as Kubernetes has them: durations", "[api][values]")
{
    check_texts<go_duration>("duration", 400, 2);
    for (const auto& r : rows("duration")) {
        if (is_refused(r)) continue;
        INFO("duration '" << r[0] << "'");
        CHECK(go_duration::parse(r[0])->length().count() == number(r[1]));
    }
}

TEST_CASE("values as Kubernetes has them: percentages", "[api][values]")
{
    CHECK(rows("percentage").size() > 200);
    for (const auto& r : rows("percentage")) {
        INFO("'" << r[0] << "' of " << r[1]);
        const auto value = int_or_string::parse(r[0]);
        const auto up = value.scaled(number(r[1]), rounding::up);
        REQUIRE(up.has_value() == !is_refused(r));
        if (!up) {
            CHECK(up.error() == cond::invalid);
            continue;
        }
        CHECK(*up == number(r[2]));
        CHECK(*value.scaled(number(r[1]), rounding::down) == number(r[3]));
    }
}

TEST_CASE("values as Kubernetes has them: JSON", "[api][values]")
{
    CHECK(check_json<quantity>("quantity") > 15);
    CHECK(check_json<timestamp>("time") > 5);
    CHECK(check_json<micro_timestamp>("microTime") > 2);
    CHECK(check_json<go_duration>("duration") > 3);
    CHECK(check_json<int_or_string>("intOrString") > 20);
}
