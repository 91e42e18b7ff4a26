// Library for LD_PRELOAD that injects faults into the system calls of a save and records these
// calls.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>

#include "faults.h"

namespace {

using taper::test::Fault, taper::test::TracedCall;

Fault fault = Fault::none;
int wanted = 0, calls = 0;
TracedCall* trace = nullptr;
int traced = 0, trace_capacity = 0;

template <class F> F* next(F*, const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

/// Counts a call; returns true if it is the selected one.
bool counted() { return ++calls == wanted && fault != Fault::none; }

/// Counts a call before it is made. If it must fail, sets errno and returns true. `interruptible`
/// is true for calls that can fail with EINTR.
bool fails(bool interruptible = false) {
  const bool hit = counted();
  if (!hit) return false;
  if (fault == Fault::killed) ::kill(::getpid(), SIGKILL);
  if (fault == Fault::cut || (fault == Fault::interrupted && !interruptible)) return false;
  errno = fault == Fault::no_space ? ENOSPC : fault == Fault::broken ? EIO : EINTR;
  return true;
}
void after() {
  if (fault == Fault::killed && counted()) ::kill(::getpid(), SIGKILL);
}

template <class F, class... Args> auto call(bool interruptible, F* real, Args... args)
    -> decltype(real(args...)) {
  if (fails(interruptible)) return -1;
  const auto result = real(args...);
  after();
  return result;
}

template <class Result>
Result record(Result result, TracedCall::Kind kind, int fd, const char* path = "") {
  if (result < 0 || !trace) return result;
  if (traced < trace_capacity) {
    TracedCall& made = trace[traced];
    made.kind = kind, made.fd = fd;
    std::snprintf(made.path, sizeof made.path, "%s", path);
  }
  ++traced;
  return result;
}

}  // namespace

extern "C" {

int taper_test_arm_faults(Fault what, int n) {
  const int before = calls;
  fault = what, wanted = n, calls = 0;
  return before;
}

int taper_test_trace_calls(TracedCall* to, int capacity) {
  const int before = traced;
  trace = to, trace_capacity = capacity, traced = 0;
  return before;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? static_cast<mode_t>(va_arg(rest, unsigned)) : 0;
  va_end(rest);
  const int fd = call(true, next(&::open, "open"), path, flags, mode);
  return record(fd, TracedCall::open, fd, path);
}
ssize_t write(int fd, const void* data, size_t bytes) {
  const bool cut = fault == Fault::cut && calls + 1 == wanted;
  const ssize_t n = call(true, next(&::write, "write"), fd, data, cut && bytes ? 1 : bytes);
  return record(n, TracedCall::write, fd);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (fault == Fault::cut && calls + 1 == wanted)
    for (int i = 0; i < count; ++i)
      if (parts[i].iov_len > 0) {
        ++calls;
        return next(&::write, "write")(fd, parts[i].iov_base, 1);
      }
  return record(call(true, next(&::writev, "writev"), fd, parts, count), TracedCall::write, fd);
}
int fsync(int fd) { return record(call(true, next(&::fsync, "fsync"), fd), TracedCall::flush, fd); }
int fchmod(int fd, mode_t mode) { return call(false, next(&::fchmod, "fchmod"), fd, mode); }
int flock(int fd, int how) { return call(true, next(&::flock, "flock"), fd, how); }
int rename(const char* from, const char* to) {
  return record(call(false, next(&::rename, "rename"), from, to), TracedCall::rename, -1, from);
}
int unlink(const char* path) {
  if (fault != Fault::killed) return next(&::unlink, "unlink")(path);
  return call(false, next(&::unlink, "unlink"), path);
}
int close(int fd) {
  // A failing close releases the descriptor nevertheless, as in Linux.
  const bool failed = fails(true);
  const int kept = errno, result = next(&::close, "close")(fd);
  after();
  if (!failed) return result;
  errno = kept;
  return -1;
}
}
