// PerThread: an object of each thread that is usable until the thread ends.
#pragma once
#include <pthread.h>

#include <memory>

namespace taper {

/// Object of type T of the calling thread, created on first use. It replaces thread_local objects
/// with a destructor: it is destroyed after those, whose destructors may therefore use it. A
/// destructor of another key of the thread that uses it later creates another object. The object of
/// the thread that ends the process is not destroyed, because static objects and exit handlers may
/// use it.
template <class T> class PerThread {
 public:
  static T& get() {
    if (!object_) [[unlikely]]
      create();
    return *object_;
  }

 private:
  /// Key whose value is the object, for its destructor.
  struct Key {
    pthread_key_t key{};
    bool exists = pthread_key_create(&key, destroy) == 0;
  };
  [[gnu::noinline]] static void create() {
    static const Key key;
    auto created = std::make_unique<T>();
    // Without a key, of which a process has about a thousand, the object is never destroyed.
    if (key.exists) pthread_setspecific(key.key, created.get());
    object_ = created.release();
  }
  static void destroy(void* object) {
    object_ = nullptr;
    delete static_cast<T*>(object);
  }

  static inline constinit thread_local T* object_ = nullptr;
};

}  // namespace taper
