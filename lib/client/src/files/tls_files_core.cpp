#include "files/tls_files_core.hpp"

#include "files/tls_pem.hpp"

#include <utility>

namespace kubecoro::detail {

bool tls_files_core::take_authorities(const tls_files& now, std::string& problem)
{
    if (!now.ca || *now.ca == current_.ca) return false;
    if (const auto sound = check_authorities(*now.ca); !sound) {
        problem = "certificate authorities: " + sound.error().message();
        return false;
    }
    current_.ca = *now.ca;
    return true;
}

bool tls_files_core::take_pair(const tls_files& now, std::string& problem)
{
    // A file may hold one part while the other part is a text.
    const auto& certificate = now.certificate ? *now.certificate : current_.certificate;
    const auto& key = now.key ? *now.key : current_.key;
    if (certificate == current_.certificate && key == current_.key) return false;
    if (const auto sound = check_pair(certificate, key); !sound) {
        problem = pair_name_ + ": " + sound.error().message();
        return false;
    }
    current_.certificate = certificate;
    current_.key = key;
    return true;
}

bool tls_files_core::use_pair(const std::string& certificate, const std::string& key)
{
    if (certificate == current_.certificate && key == current_.key) return false;
    current_.certificate = certificate;
    current_.key = key;
    return true;
}

tls_files_core::outcome tls_files_core::on_read(const tls_files& now)
{
    outcome out;
    const auto note = [&](std::string& known, std::string problem) {
        if (!problem.empty() && problem != known) out.problems.push_back(problem);
        known = std::move(problem);
    };
    std::string authority_problem;
    std::string pair_problem;
    out.new_authorities = take_authorities(now, authority_problem);
    out.new_pair = take_pair(now, pair_problem);
    note(authority_problem_, std::move(authority_problem));
    note(pair_problem_, std::move(pair_problem));
    note(unreadable_, now.unreadable);
    return out;
}

} // namespace kubecoro::detail
