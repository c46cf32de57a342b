#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace kubecoro {

/// Makes one answer in parts: appends the next one to its argument, and returns whether another one follows. An exception
/// breaks the answer off, visibly for the client, and is logged.
using body_parts = std::function<bool(std::string&)>;

/** A large page of an endpoint_server, which is made while its client reads it: the server holds one part of it, however
    large it is and however slow the client. Parts count as endpoint_limits::max_answer_bytes; without room for the next one
    the answer breaks off.

        options.pages.push_back({.path = "/series", .begin = [&] { return parts_of(take_snapshot()); }});

    Sent in chunks, uncompressed, within endpoint_limits::answer_timeout. */
struct streamed_page
{
    /// Such as "/metrics", exactly.
    std::string path = {};
    /// The Content-Type of its answers.
    std::string content_type = "text/plain; charset=utf-8";
    /// Begins an answer. Called on the server's strand, as its result is, for one part after the other as the client reads:
    /// both must be quick. Parts of about 64 KiB are good.
    std::function<body_parts()> begin = {};
    /// Answers in progress at once. At the limit, requests wait, within half of endpoint_limits::answer_timeout (503 after that),
    /// and the addresses of clients take turns. For the next one an answer breaks off whose client has read nothing for a
    /// second, or the oldest one, of three seconds at least, of an address that has two places more.
    std::size_t max_answers = 4;
};

/** A page whose whole text a function returns, for what is small, such as a report of some lines:

        options.pages.push_back(text_page("/images", [&] { return report_of(images); }));

    @param path  As streamed_page::path.
    @param make  Called for each answer on the server's strand: it must be quick. An exception breaks the answer off. */
[[nodiscard]] streamed_page text_page(std::string path, std::function<std::string()> make);

} // namespace kubecoro
