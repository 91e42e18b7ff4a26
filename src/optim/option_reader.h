// OptionReader: arguments of a constructor that are given by name.
#pragma once
#include <array>
#include <concepts>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "taper/core/value.h"
#include "taper/optim/lr_scheduler/per_group.h"

namespace taper::optim {

/// Reads options by name into the fields of an options struct. Absent options keep their defaults.
class OptionReader {
 public:
  OptionReader(std::string_view type, const Value& options) : type_(type), options_(options) {
    if (!options.is_none() && !options.is_dict())
      fail<TypeError>("{}: options must be a dict, got {}", type, options.type_name());
  }

  template <class T> OptionReader& operator()(std::string_view name, T& field) {
    if (const Value* v = find(name)) read(*v, field);
    return *this;
  }
  /// Reads an option that has no default. Throws TypeError if it is absent.
  template <class T> OptionReader& required(std::string_view name, T& field) {
    const Value* v = find(name);
    if (!v) fail<TypeError>("{}.__init__() missing required argument: '{}'", type_, name);
    read(*v, field);
    return *this;
  }
  /// Throws TypeError for an option that was not read.
  void reject_unread_options() const {
    if (options_.is_none()) return;
    for (const auto& [name, value] : options_.as_dict())
      if (!name.is_string() || !read_names_.contains(name.as_string()))
        fail<TypeError>("{}.__init__() got an unexpected keyword argument {}", type_, name.repr());
  }

 private:
  const Value* find(std::string_view name) {
    read_names_.insert(name);
    return options_.is_none() ? nullptr : options_.find(name);
  }

  static void read(const Value& v, Scalar& field) {
    if (v.is_bool())
      field = v.as_bool();
    else if (v.is_int())
      field = v.as_int();
    else
      field = v.as_double();
  }
  static void read(const Value& v, bool& field) { field = v.as_bool(); }
  static void read(const Value& v, std::int64_t& field) { field = v.as_int(); }
  static void read(const Value& v, double& field) { field = v.as_double(); }
  template <class T> static void read(const Value& v, NotBool<T>& field) {
    T number{};
    read(v, number);
    field = number;
  }
  static void read(const Value& v, std::string& field) { field = v.as_string(); }
  template <class T> static void read(const Value& v, std::vector<T>& field) {
    field.clear();
    for (const Value& item : v.as_sequence()) read(item, field.emplace_back());
  }
  static void read(const Value& v, lr_scheduler::PerGroup& field) {
    if (!v.is_list() && !v.is_tuple()) {
      field = v.as_double();
      return;
    }
    std::vector<double> numbers;
    read(v, numbers);
    field = std::move(numbers);
  }
  template <class T> static void read(const Value& v, std::optional<T>& field) {
    if (v.is_none())
      field.reset();
    else if constexpr (std::default_initializable<T>)
      read(v, field.emplace());
    else
      read(v, field.emplace(0));
  }
  template <class A, class B> static void read(const Value& v, std::pair<A, B>& field) {
    const Values& items = v.as_sequence();
    if (items.size() != 2) fail<ValueError>("expected two values, got {}", items.size());
    read(items[0], field.first);
    read(items[1], field.second);
  }
  template <class T, std::size_t N> static void read(const Value& v, std::array<T, N>& field) {
    const Values& items = v.as_sequence();
    if (items.size() != N) fail<ValueError>("expected {} values, got {}", N, items.size());
    for (std::size_t i = 0; i < N; ++i) read(items[i], field[i]);
  }

  std::string_view type_;
  const Value& options_;
  std::set<std::string_view> read_names_;
};

/// Returns the names, separated by commas.
inline std::string join_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) (text += text.empty() ? "" : ", ") += name;
  return text;
}

}  // namespace taper::optim
