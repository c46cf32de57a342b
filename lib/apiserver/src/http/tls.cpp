#include <kubecoro/api/bytes.hpp>
#include <kubecoro/apiserver/tls.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace kubecoro::apiserver {

std::string kubeconfig_text(const kubeconfig_entry& e)
{
    const auto quote = [](std::string_view text) {
        std::string out = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
        return out + '"';
    };
    const std::string name = quote(e.name);
    std::string text = "apiVersion: v1\nkind: Config\ncurrent-context: " + name + "\nclusters:\n- name: " + name +
                       "\n  cluster:\n    server: " + quote(e.server) + "\n";
    if (!e.ca_certificate.empty()) text += "    certificate-authority-data: " + bytes(e.ca_certificate).base64() + "\n";
    text += "contexts:\n- name: " + name + "\n  context:\n    cluster: " + name + "\n    user: " + name +
            "\n    namespace: default\nusers:\n- name: " + name + "\n";
    if (e.token.empty() && e.client_certificate.empty()) return text + "  user: {}\n";
    text += "  user:\n";
    if (!e.token.empty()) text += "    token: " + quote(e.token) + "\n";
    if (!e.client_certificate.empty())
        text += "    client-certificate-data: " + bytes(e.client_certificate).base64() +
                "\n    client-key-data: " + bytes(e.client_key).base64() + "\n";
    return text;
}

result<> write_private_file(const std::string& path, std::string_view text)
{
    const auto failed = [&](const char* doing) {
        return failure{cond::misconfigured, std::string(doing) + " " + path + ": " + std::strerror(errno)};
    };
    std::string scratch = path + ".XXXXXX";
    const int file = ::mkstemp(scratch.data()); // mode 0600
    if (file < 0) return failed("create a file beside");
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(file, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    const bool written = done == text.size();
    const bool closed = ::close(file) == 0;
    if (written && closed && std::rename(scratch.c_str(), path.c_str()) == 0) return {};
    const failure why = failed("write");
    ::unlink(scratch.c_str());
    return why;
}

} // namespace kubecoro::apiserver
