#include <kubecoro/http/detail/response_text.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::detail;

TEST_CASE("format_head: framing, and header values cannot inject headers", "[http]")
{
    header_list headers;
    headers.emplace_back("Warning", "299 - \"a\r\nb\"");
    CHECK(format_head(404, headers, framing::length, 7, false, {}) ==
          "HTTP/1.1 404 Not Found\r\nWarning: 299 - \"a  b\"\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
          "Content-Length: 7\r\nConnection: close\r\n\r\n");
    CHECK(format_head(204, {}, framing::length, 0, true, {}) ==
          "HTTP/1.1 204 No Content\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n");
}

TEST_CASE("frame_chunk: the head of a chunk is written in front of it", "[http]")
{
    const auto framed = [](const std::string& text, bool is_first) {
        std::string chunk(room_for_chunk_head);
        chunk += text;
        return std::string(frame_chunk(chunk, is_first));
    };
    CHECK(framed("text", true) == "4\r\ntext");
    CHECK(framed("text", false) == "\r\n4\r\ntext");
    CHECK(framed(std::string(0x1a2b, 'x'), false) == "\r\n1a2b\r\n" + std::string(0x1a2b, 'x'));
    CHECK(framed("", true).empty());
    CHECK(framed("", false).empty());
}

TEST_CASE("frame_chunk: a chunk without room for its head gets it", "[http]")
{
    for (const std::string text : {"x", "longer than the room for the head of a chunk"}) {
        std::string chunk = text;
        CHECK(frame_chunk(chunk, false) == (text.size() == 1 ? "\r\n1\r\n" : "\r\n2c\r\n") + text);
    }
    std::string none;
    CHECK(frame_chunk(none, true).empty());
}
