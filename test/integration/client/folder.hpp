#pragma once

#include "certificates.hpp"

#include <kubecoro/test/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kubecoro::test {

/// A directory that is removed with the test.
class folder
{
public:
    folder()
    {
        char name[] = "/tmp/kubecoro-rotation-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        path_ = name;
    }
    ~folder() { std::filesystem::remove_all(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(at(name), std::ios::trunc) << text;
    }
    void write(const identity& of) const
    {
        write("tls.crt", of.certificate);
        write("tls.key", of.key);
    }
    void remove(const std::string& name) const { std::filesystem::remove(at(name)); }

private:
    std::string path_;
};

} // namespace kubecoro::test
