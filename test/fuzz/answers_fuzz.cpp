// Reads arbitrary bytes as the smaller answers: a refusal with its causes, a Scale, a token, a Warning header, a log.
#include "fuzz.hpp"

#include "rest/answer_core.hpp"
#include "rest/log_core.hpp"
#include "rest/subresource_core.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/client/apply.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

void check_refusal(std::string_view text)
{
    const auto conflict = failure_of_answer(409, text);
    for (const auto& c : apply_conflicts(conflict))
        fuzz::require(c.manager.size() + c.subresource.size() + c.api_version.size() + c.time.size() <=
                          c.message.size(),
                      "a conflict says no more than its message");
    fuzz::require(conflict.status()->causes.size() <= 256, "the number of causes is bounded");
    const auto busy = failure_of_answer(429, text);
    fuzz::require(eviction_failure(busy).condition() == busy.condition(), "an explanation changes no condition");
}

void check_warnings(std::string_view text)
{
    for (const auto& w : parse_warnings(text)) {
        fuzz::require(w.size() <= 1024 + 3, "a warning is short");
        fuzz::require(std::none_of(w.begin(), w.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }),
                      "a warning is printable");
    }
}

std::vector<log_line> lines_of(std::string_view text, std::size_t most, std::size_t chunk)
{
    log_lines lines(most);
    std::vector<log_line> out;
    for (std::size_t at = 0; at < text.size(); at += chunk) lines.feed(text.substr(at, chunk), out);
    lines.finish(false, out);
    return out;
}

void check_log(std::string_view text)
{
    const auto chunk = fuzz::chunk_of(text.size());
    const auto whole = lines_of(text, 16, text.size() + 1);
    fuzz::require(whole == lines_of(text, 16, chunk), "chunking does not change the lines");
    for (const auto& l : whole) fuzz::require(l.text.size() <= 16, "a piece of a line is short");
    log_pieces pieces;
    std::string joined;
    for (std::size_t at = 0; at < text.size(); at += chunk) joined += pieces.feed(text.substr(at, chunk));
    joined += pieces.finish();
    fuzz::require(joined == text, "no byte of a log is lost");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    check_refusal(text);
    check_warnings(text);
    check_log(text);
    const auto document = decode_object(text);
    if (!document) return 0;
    (void)read_scale(*document);
    if (const auto t = read_token(*document)) fuzz::require(!t->token.empty(), "a token is not empty");
    return 0;
}
