#pragma once
// Requests that servers before or behind this one may read otherwise, and the answer that RFC 9112 asks for.

#include <string>
#include <vector>

namespace kubecoro::test {

struct framing_case
{
    const char* title;
    /// The request line and the headers, without the empty line.
    std::string head;
    /// The status of the refusal, after which the connection is closed; 0 = the request is read.
    int refusal;
};

inline std::vector<framing_case> framing_cases()
{
    const std::string post = "POST /a HTTP/1.1\r\nHost: h\r\n";
    const std::string get = "GET /a HTTP/1.1\r\nHost: h\r\n";
    return {
        {"no body", get, 0},
        {"a length", post + "Content-Length: 5\r\n", 0},
        {"chunks", post + "Transfer-Encoding: chunked\r\n", 0},
        {"chunks, in another case", post + "transfer-encoding:\tChunked \r\n", 0},
        {"a coding without chunks", post + "Transfer-Encoding: gzip\r\n", 400},
        {"a coding after chunks", post + "Transfer-Encoding: chunked, gzip\r\n", 400},
        {"identity", post + "Transfer-Encoding: identity\r\n", 400},
        {"identity after chunks", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400},
        {"a coding before chunks", post + "Transfer-Encoding: gzip, chunked\r\n", 501},
        {"a coding before chunks, in two lines", post + "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
         501},
        {"a word that ends in chunked", post + "Transfer-Encoding: xchunked\r\n", 400},
        {"a word that begins with chunked", post + "Transfer-Encoding: chunkedx\r\n", 400},
        {"chunked with a parameter", post + "Transfer-Encoding: chunked;q=1\r\n", 400},
        {"quoted", post + "Transfer-Encoding: \"chunked\"\r\n", 400},
        {"an empty coding", post + "Transfer-Encoding:\r\n", 400},
        {"an empty element", post + "Transfer-Encoding: chunked,\r\n", 400},
        {"chunks twice", post + "Transfer-Encoding: chunked, chunked\r\n", 400},
        {"two lines of codings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
        {"chunks with a vertical tab", post + "Transfer-Encoding: \vchunked\r\n", 400},
        {"chunks in HTTP/1.0", "POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", 400},
        {"chunks in HTTP/1.0 that is kept",
         "POST /a HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n", 400},
        {"a length and chunks", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
        {"chunks and a length", post + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", 400},
        {"two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n", 400},
        {"a length twice", post + "Content-Length: 5\r\ncontent-length: 5\r\n", 400},
        {"a list of lengths", post + "Content-Length: 5, 5\r\n", 400},
        {"a length with a plus", post + "Content-Length: +5\r\n", 400},
        {"a negative length", post + "Content-Length: -1\r\n", 400},
        {"a hexadecimal length", post + "Content-Length: 0x5\r\n", 400},
        {"a length with a space", post + "Content-Length: 1 2\r\n", 400},
        {"an empty length", post + "Content-Length: \r\n", 400},
        {"the largest length", post + "Content-Length: 18446744073709551615\r\n", 0},
        {"a length that overflows", post + "Content-Length: 18446744073709551616\r\n", 400},
        {"two hosts", get + "Host: h\r\n", 400},
        {"no host", "GET /a HTTP/1.1\r\n", 400},
        {"no host in HTTP/1.0", "GET /a HTTP/1.0\r\n", 0},
        {"two hosts in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: a\r\nHost: a\r\n", 400},
        {"an empty host", "GET /a HTTP/1.1\r\nHost:\r\n", 0},
        {"a host with a path", "GET /a HTTP/1.1\r\nHost: a/b\r\n", 400},
        {"a host with a user", "GET /a HTTP/1.1\r\nHost: u@h\r\n", 400},
        {"two words as host", "GET /a HTTP/1.1\r\nHost: a b\r\n", 400},
        {"a folded line", get + "A: b\r\n c\r\n", 400},
        {"a line folded by a tab", get + "A: b\r\n\tc: d\r\n", 400},
        {"a folded first line", "GET /a HTTP/1.1\r\n Host: h\r\n", 400},
        {"a space before the colon", post + "Content-Length : 5\r\n", 400},
        {"a name with a space", get + "A b: c\r\n", 400},
        {"no name", get + ": c\r\n", 400},
        {"no colon", get + "abc\r\n", 400},
        {"a name that is no token", get + "A(b): c\r\n", 400},
        {"NUL in a value", get + "A: b" + std::string(1, '\0') + "c\r\n", 400},
        {"a bare CR in a value", get + "A: b\rc\r\n", 400},
        {"a bare CR at the end of a value", get + "A: b\r\r\n", 400},
        {"a control character in a value", get + "A: b\x01\r\n", 400},
        {"DEL in a value", get + "A: b\x7f\r\n", 400},
        {"a tab and bytes beyond ASCII in a value", get + "A: b\tc\xe4\r\n", 0},
        {"a bare LF after a header", get + "A: b\n", 400},
        {"bare LFs", "GET /a HTTP/1.1\nHost: h\n\n", 400},
        {"two spaces in the request line", "GET  /a HTTP/1.1\r\nHost: h\r\n", 400},
        {"a space after the version", "GET /a HTTP/1.1 \r\nHost: h\r\n", 400},
        {"a space before the method", " GET /a HTTP/1.1\r\nHost: h\r\n", 400},
        {"a tab in the target", "GET /a\t HTTP/1.1\r\nHost: h\r\n", 400},
        {"no version", "GET /a\r\nHost: h\r\n", 400},
        {"another version", "GET /a HTTP/2.0\r\nHost: h\r\n", 400},
        {"a version in lower case", "GET /a http/1.1\r\nHost: h\r\n", 400},
        {"a method that is no token", "G@T /a HTTP/1.1\r\nHost: h\r\n", 400},
        {"a line end before the request", "\r\n" + get, 0},
        {"two line ends before the request", "\r\n\r\n" + get, 400},
        {"a bare LF before the request", "\n" + get, 400},
        {"an absolute target", "GET http://h/a HTTP/1.1\r\nHost: h\r\n", 0},
        {"an absolute target without host", "GET http:///a HTTP/1.1\r\nHost: h\r\n", 400},
        {"an absolute target with a user", "GET http://u@h/a HTTP/1.1\r\nHost: h\r\n", 400},
    };
}

} // namespace kubecoro::test
