#pragma once
// Serialises a request for the wire, and adds a program's headers. Sans-io.

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Whether a header has a valid name and no control characters in its value.
[[nodiscard]] bool is_header(std::string_view name, std::string_view value) noexcept;

/** Request line, headers and body as HTTP/1.1 text.

    @param host    For the Host header: "127.0.0.1:6443".
    @param prefix  Path of the server URL, put before the target; empty or "/k8s/cluster".
    @par Errors    cond::invalid when a method, target or header contains bytes that would end or forge it. */
[[nodiscard]] result<std::string> request_text(const request& r, std::string_view host, std::string_view prefix);

using header_list = std::vector<std::pair<std::string, std::string>>;

/** Fails with cond::misconfigured for a header that is not valid, or that the client sets itself: credentials,
    impersonation, User-Agent, Accept, the framing of the body and of the connection. Shows names, never values. */
[[nodiscard]] result<> check_headers(const header_list& headers);

/// Adds the headers that the request does not have already.
void add_headers(request& r, const header_list& headers);

} // namespace kubecoro::detail
