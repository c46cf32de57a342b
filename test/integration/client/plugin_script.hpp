#pragma once
// A credential plugin that is a shell script in a directory of its own.

#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/test/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace kubecoro::test {

/// The script counts its runs as lines of the file `runs`. Removed with the test.
class plugin_script
{
public:
    explicit plugin_script(const std::string& text)
    {
        char name[] = "/tmp/kubecoro-exec-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        dir_ = name;
        write("plugin", "#!/bin/sh\ncd " + dir_ + "\necho run >>runs\n" + text + "\n");
        std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
    }
    ~plugin_script() { std::filesystem::remove_all(dir_); }
    plugin_script(const plugin_script&) = delete;
    plugin_script& operator=(const plugin_script&) = delete;

    [[nodiscard]] std::string path() const { return dir_ + "/plugin"; }
    void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ + "/" + name) << text; }
    void remove(const std::string& name) const { std::filesystem::remove(dir_ + "/" + name); }
    [[nodiscard]] std::string file(const std::string& name) const
    {
        std::ifstream in(dir_ + "/" + name);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    [[nodiscard]] std::ptrdiff_t runs() const
    {
        const auto lines = file("runs");
        return std::count(lines.begin(), lines.end(), '\n');
    }
    [[nodiscard]] exec_config config() const
    {
        exec_config c;
        c.command = path();
        return c;
    }

private:
    std::string dir_;
};

} // namespace kubecoro::test
