#include "failing_calls.hpp"

#include <cerrno>

#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kubecoro::test {

namespace {

failing_calls* counting = nullptr;

/// Whether this call fails with an error. Every other way has no meaning for it.
bool fails(const char* name)
{
    return counting != nullptr && counting->on_call(name) && counting->how() == call_failure::error;
}

bool is_pipe(int descriptor)
{
    struct stat about = {};
    return ::fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

int with_error(int error)
{
    errno = error;
    return -1;
}

} // namespace

failing_calls::failing_calls(std::size_t nth, call_failure how) : nth_(nth), how_(how) { counting = this; }
failing_calls::~failing_calls() { counting = nullptr; }

bool failing_calls::on_call(const char* name)
{
    calls_.emplace_back(name);
    return calls_.size() == nth_;
}

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

int __real_pipe2(int* ends, int flags);
int __real_posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                        char* const*);
long __real_syscall(long number, ...);
int __real_fcntl(int descriptor, int command, ...);
pid_t __real_waitpid(pid_t, int*, int);
ssize_t __real_read(int, void*, std::size_t);
int __real_epoll_ctl(int, int, int, epoll_event*);

int __wrap_pipe2(int* ends, int flags) { return fails("pipe2") ? with_error(EMFILE) : __real_pipe2(ends, flags); }

int __wrap_posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* files,
                        const posix_spawnattr_t* attributes, char* const* arguments, char* const* variables)
{
    if (fails("posix_spawnp")) return EAGAIN;
    return __real_posix_spawnp(pid, file, files, attributes, arguments, variables);
}

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_pidfd_open && fails("pidfd_open")) return with_error(EMFILE);
    return __real_syscall(number, a, b, c, d, e, f);
}

int __wrap_fcntl(int descriptor, int command, long argument)
{
    if (command == F_DUPFD_CLOEXEC && fails("fcntl")) return with_error(EMFILE);
    return __real_fcntl(descriptor, command, argument);
}

pid_t __wrap_waitpid(pid_t pid, int* status, int options)
{
    if (counting == nullptr || !counting->on_call("waitpid")) return __real_waitpid(pid, status, options);
    if (counting->how() == call_failure::interrupted) return with_error(EINTR);
    const auto got = __real_waitpid(pid, status, options);
    // As if others had collected the child.
    return counting->how() == call_failure::error ? with_error(ECHILD) : got;
}

ssize_t __wrap_read(int descriptor, void* to, std::size_t size)
{
    if (counting == nullptr || !is_pipe(descriptor) || !counting->on_call("read"))
        return __real_read(descriptor, to, size);
    switch (counting->how()) {
    case call_failure::error:
        return with_error(EIO);
    case call_failure::interrupted:
        return with_error(EINTR);
    case call_failure::ended:
        return 0;
    case call_failure::short_read:
        break;
    }
    return __real_read(descriptor, to, 1);
}

int __wrap_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event)
{
    if (operation == EPOLL_CTL_ADD && fails("epoll_ctl")) return with_error(ENOSPC);
    return __real_epoll_ctl(epoll, operation, descriptor, event);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

} // namespace kubecoro::test
