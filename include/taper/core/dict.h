// The dictionary inside a Value, and objects of unknown classes.
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

/// Entries in the order of insertion, found by any hashable key. It has the name of its class
/// (empty: dict) and, as objects of Python have, attributes.
class Dict : public ValueContainer {
 public:
  using Entry = std::pair<Value, Value>;

  Dict() = default;
  explicit Dict(std::string class_name) : class_name_(std::move(class_name)) {}
  static void* operator new(std::size_t bytes);
  static void operator delete(void* p, std::size_t bytes);
  /// The same entries, class and attributes in another dict.
  Value copy() const;

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  /// Entries in order. Keys must not be changed.
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
  std::vector<Entry>::const_iterator end() const { return entries_.end(); }

  const Value* find(const Value& key) const;
  /// The same for text, without making a Value of the key.
  template <std::convertible_to<std::string_view> Text> const Value* find(const Text& key) const {
    return find_text(key);
  }
  bool contains(const Value& key) const { return find(key) != nullptr; }
  /// Throws KeyError.
  const Value& at(const Value& key) const;
  /// Overwrites in place or appends.
  void set(Value key, Value value);
  /// False if there was none. The order of the others stays.
  bool erase(const Value& key);
  void clear();
  /// Room for so many entries in all.
  void reserve(std::size_t count);

  /// "collections.OrderedDict"; empty for a plain dict.
  const std::string& class_name() const { return class_name_; }
  void set_class_name(std::string name) { class_name_ = std::move(name); }
  /// Attributes such as `_metadata` by name: a dict, or none while there are none.
  const Value& attributes() const { return attributes_; }
  /// Null if there is none of that name.
  const Value* attribute(std::string_view name) const;
  void set_attribute(std::string_view name, Value value);

 private:
  const Value* find_text(std::string_view key) const;
  template <class Key> std::size_t locate(const Key& key, std::size_t hash) const;
  void index_all(std::size_t slots);
  void index_last(std::size_t hash);
  void rebuild(std::size_t slots);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;   // open addressing: entry number + 1
  std::vector<std::uint32_t> hashes_;  // of the entries, while there are slots
  std::string class_name_;
  Value attributes_;
};

/// An object of a class that is not known here, as the data that would build it: a callable's name,
/// its arguments, a state, and what was appended or set.
struct Opaque {
  Value callable{};     ///< a global
  Value arguments{};    ///< a tuple, or none
  bool is_new = false;  ///< made by the class's __new__ alone, not by a call
  Value state{};
  Values items{};
  std::vector<Dict::Entry> entries{};
};

}  // namespace taper
