#pragma once
// Serialises a request for the wire, and makes its headers: those of the program and of impersonation. Sans-io.

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/kubeconfig.hpp>

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

/** A user id, groups or extra data require a user. Without one they would be left out of the requests, which would then
    run with the full rights of the credentials.

    @par Errors  cond::misconfigured. */
[[nodiscard]] result<> check_impersonation(const user_info& as);

/// The headers for a request with what check_impersonation() has accepted. Empty when impersonation is off.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> impersonation_headers(const user_info& as);

} // namespace kubecoro::detail
