// Build configuration constants.
#pragma once
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAPER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TAPER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TAPER_ASAN)
#define TAPER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TAPER_TSAN)
#define TAPER_TSAN 1
#endif
#ifdef TAPER_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace taper::build {

/// True under AddressSanitizer and ThreadSanitizer, which instrument every memory access.
#if defined(TAPER_ASAN) || defined(TAPER_TSAN)
inline constexpr bool kInstrumented = true;
#else
inline constexpr bool kInstrumented = false;
#endif

#ifdef TAPER_ASAN
inline constexpr bool kSanitized = true;
inline void poison_tail(void* p, std::size_t from, std::size_t to) {
  __asan_poison_memory_region(static_cast<std::byte*>(p) + from, to - from);
}
inline void unpoison(void* p, std::size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
#else
inline constexpr bool kSanitized = false;
inline void poison_tail(void*, std::size_t, std::size_t) {}
inline void unpoison(void*, std::size_t) {}
#endif

}  // namespace taper::build
