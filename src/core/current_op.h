// Name of the op that runs on this thread, for out-of-memory errors.
#pragma once

namespace taper::current_op {

inline constinit thread_local const char* running = nullptr;
inline const char* name() { return running ? running : "the program"; }

struct Scope {
  const char* outer = running;
  explicit Scope(const char* op) { running = op; }
  ~Scope() { running = outer; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

}  // namespace taper::current_op
