#include "ops/linalg/lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "cpu/capability.h"

namespace taper::kernel::lapack {
namespace {

constexpr char kLibrary[] = "libopenblas.so.0";
/// Matrices of at most this many rows and columns are factored by Eigen.
constexpr std::int64_t kSmall = 32;

std::atomic<bool> is_enabled{true};

template <class T> struct Prefix;
template <> struct Prefix<float> { static constexpr char value = 's'; };
template <> struct Prefix<double> { static constexpr char value = 'd'; };

/// Looks up a routine, such as "potrf". Returns false if the library does not have it.
template <class T, class F> bool look_up(void* library, const char* name, F& routine) {
  const std::string symbol = Prefix<T>::value + std::string(name) + '_';
  routine = reinterpret_cast<F>(dlsym(library, symbol.c_str()));
  return routine != nullptr;
}

template <class T> std::optional<Routines<T>> look_up_all(void* library) {
  Routines<T> r{};
  const bool found = look_up<T>(library, "potrf", r.potrf) && look_up<T>(library, "trsm", r.trsm) &&
                     look_up<T>(library, "geqrf", r.geqrf) &&
                     look_up<T>(library, "orgqr", r.orgqr) &&
                     look_up<T>(library, "gesdd", r.gesdd) && look_up<T>(library, "syevd", r.syevd);
  return found ? std::optional(r) : std::nullopt;
}

void* load_library() {
  if (cpu::is_capability_limited()) return nullptr;
  if (void* const loaded = dlopen(kLibrary, RTLD_NOW | RTLD_NOLOAD)) return loaded;
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
  // Matrices of a batch are divided among the threads of Taper. A library that the program had
  // loaded before keeps its number of threads.
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(library, "openblas_set_num_threads")))
    set(1);
  return library;
}

template <class T> const Routines<T>* routines() {
  static void* const library = load_library();
  static const std::optional<Routines<T>> found =
      library ? look_up_all<T>(library) : std::optional<Routines<T>>();
  return found ? &*found : nullptr;
}

}  // namespace

template <class T> const Routines<T>* find(std::int64_t rows, std::int64_t cols) {
  // The routines compute the size of their memory, up to 4 N^2 elements, as int.
  constexpr std::int64_t kMax = 20000;
  const auto [smaller, larger] = std::minmax(rows, cols);
  if (larger <= kSmall || larger > kMax || smaller < 1) return nullptr;
  return is_enabled.load(std::memory_order_relaxed) ? routines<T>() : nullptr;
}

template const Routines<float>* find(std::int64_t rows, std::int64_t cols);
template const Routines<double>* find(std::int64_t rows, std::int64_t cols);

void set_enabled(bool enabled) noexcept { is_enabled.store(enabled, std::memory_order_relaxed); }

}  // namespace taper::kernel::lapack
