// Dict: dictionary of Values. Opaque: object of an unknown class.
#pragma once
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/value.h"

namespace TAPER_API taper {

/// Dictionary in insertion order whose keys are hashable Values. It stores the name of its Python
/// class (empty: dict) and, like Python objects, attributes.
class Dict : public ValueContainer {
 public:
  using Entry = std::pair<Value, Value>;

  Dict() = default;
  explicit Dict(std::string class_name) : class_name_(std::move(class_name)) {}
  static void* operator new(std::size_t bytes);
  static void operator delete(void* p, std::size_t bytes);
  /// Returns a new dict with the same entries, class and attributes.
  Value copy() const;

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// Returns the entries in insertion order. Keys must not be modified.
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  /// Returns the value of `key`, or null if the key does not exist. Throws TypeError if the key is
  /// not hashable.
  const Value* find(const Value& key) const;
  /// Returns the value of a string key, or null, without creating a Value for the key.
  template <std::convertible_to<std::string_view> Text> const Value* find(const Text& key) const {
    return find_string(key);
  }
  bool contains(const Value& key) const { return find(key) != nullptr; }
  /// Returns the value of `key`. Throws KeyError if the key does not exist.
  const Value& at(const Value& key) const;
  /// Replaces the value of `key`, or appends an entry.
  void set(Value key, Value value);
  /// Removes an entry and preserves the order of the others. Returns false if the key does not
  /// exist.
  bool erase(const Value& key);
  /// Removes all entries.
  void clear();
  /// Reserves memory for a total of `count` entries.
  void reserve(std::size_t count);

  /// Returns, or sets, the name of the Python class, such as "collections.OrderedDict"; empty for
  /// dict.
  const std::string& class_name() const { return class_name_; }
  void set_class_name(std::string name) { class_name_ = std::move(name); }
  /// Returns the attributes, such as `_metadata`, by name: a dict, or None if no attribute is set.
  const Value& attributes() const { return attributes_; }
  /// Returns an attribute, or null if it does not exist.
  const Value* attribute(std::string_view name) const;
  /// Sets an attribute.
  void set_attribute(std::string_view name, Value value);

 private:
  const Value* find_string(std::string_view key) const;
  template <class Key> std::size_t locate(const Key& key, std::size_t hash) const;
  void index_all(std::size_t slots);
  void index_last(std::size_t hash);
  void rebuild(std::size_t slots);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;   // open addressing: index of the entry + 1
  std::vector<std::uint32_t> hashes_;  // hash of each entry; empty if slots_ is empty
  std::string class_name_;
  Value attributes_;
};

/// Object of an unknown class, stored as the data from which pickle would construct it: the name of
/// a callable, its arguments, a state, appended items and set entries.
struct Opaque {
  Value callable{};     ///< a global
  Value arguments{};    ///< a tuple, or None
  bool is_new = false;  ///< created by __new__ of the class instead of a call
  Value state{};
  Values items{};
  std::vector<Dict::Entry> entries{};
};

}  // namespace taper
