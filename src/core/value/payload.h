// Heap-allocated payloads of Value.
#pragma once
#include <string>

#include "core/object_pool.h"
#include "taper/core/value.h"

namespace taper::value {

struct StringPayload : RefCounted {  // string, bytes, big_integer
  explicit StringPayload(std::string_view t) : text(t) {}
  static void* operator new(std::size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) { pool_release(p, bytes); }
  std::string text;
};

struct ComplexPayload : RefCounted {
  explicit ComplexPayload(Complex c) : number(c) {}
  Complex number;
};

struct SizePayload : RefCounted {
  explicit SizePayload(const Shape& s) : size(s) {}
  Shape size;
};

struct GlobalPayload : RefCounted {
  GlobalPayload(std::string_view m, std::string_view n) : module(m), name(n) {}
  std::string module, name;
};

/// Class of a named tuple.
struct TupleClass : RefCounted {
  TupleClass(std::string_view n, std::vector<std::string> i) : name(n), item_names(std::move(i)) {}
  std::string name;  ///< may begin with the module: "package.Point"
  std::vector<std::string> item_names;
};

struct MissingPayload : RefCounted {  // a key that a dict does not have
  MissingPayload(Value d, Value k) : dict(std::move(d)), key(std::move(k)) {}
  Value dict, key;
};

/// Throws KeyError: the key, and the keys that the dict has.
[[noreturn]] void throw_missing_key(const Dict& dict, const Value& key);

struct ItemsPayload : ValueContainer {  // list, tuple, set
  explicit ItemsPayload(Values v, Ref<TupleClass> c = {})
      : items(std::move(v)), tuple_class(std::move(c)) {}
  static void* operator new(std::size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) { pool_release(p, bytes); }
  Values items;
  Ref<TupleClass> tuple_class;  ///< null unless the payload is a named tuple
};

struct OpaquePayload : ValueContainer {
  explicit OpaquePayload(Opaque o) : object(std::move(o)) {}
  Opaque object;
};

/// Maximum depth of recursion over values. The limit is needed because a container may contain
/// itself.
inline constexpr int kMaxDepth = 1000;

/// Throws RuntimeError: maximum recursion depth exceeded while `doing`.
[[noreturn]] void throw_too_deep(const char* doing);

/// Returns the text as a quoted Python literal, with the prefix `b` if `bytes` is true.
std::string quoted(std::string_view text, bool bytes = false);

/// Returns a hash seed that differs in every process, so that a file cannot contain keys chosen to
/// collide.
std::uint64_t hash_secret();
std::size_t hash_string(std::string_view text);

}  // namespace taper::value
