// ParameterDict: a container of parameters by name.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/ignorable.h"
#include "taper/nn/parameter_list.h"

namespace TAPER_API taper {
namespace nn {

/// Stores parameters by name, in the order of insertion:
/// `nn::ParameterDict({{"left", randn({3})}})`. Tensors become Parameters, modules become children,
/// and other values are stored as plain attributes. Calling it throws RuntimeError.
/// PyTorch: torch.nn.ParameterDict.
class ParameterDict : public Layer<ParameterDict> {
 public:
  using Item = std::pair<std::string, detail::ParameterElement>;

  ParameterDict(std::initializer_list<Item> items) { update(items); }
  /// Creates a dict from any argument that `update` accepts.
  template <class Items>
  requires(!std::same_as<std::remove_cvref_t<Items>, ParameterDict>) explicit ParameterDict(
      Items&& items) {
    update(items);
  }
  TAPER_LAYER(ParameterDict)

  /// Returns the number of elements.
  std::size_t size() const { return names_.size(); }
  bool empty() const { return names_.empty(); }
  /// Returns true if an element `name` is stored.
  bool contains(std::string_view name) const;
  /// Returns the parameter `name`. Throws AttributeError if the name does not exist, TypeError if
  /// the element is not a parameter.
  Parameter& operator[](std::string_view name) { return attr<Parameter>(name); }
  const Parameter& operator[](std::string_view name) const { return attr<Parameter>(name); }
  /// Returns the element `name`, of any kind. Throws AttributeError if the name does not exist.
  Value at(std::string_view name) const;
  /// Returns the element `name`, or `fallback` if the name does not exist.
  Value get(std::string_view name, const Value& fallback = {}) const;
  /// Adds or replaces an element. Throws KeyError for the names that register_parameter rejects.
  /// PyTorch: `d[name] = element`.
  void set(std::string_view name, const detail::ParameterElement& element);
  /// Returns the element `name`; adds the given element first if the name does not exist.
  Ignorable<Value> setdefault(std::string_view name,
                              const detail::ParameterElement& element = Value());
  /// Removes an element. Throws KeyError if the name does not exist. PyTorch: `del d[name]`.
  void erase(std::string_view name);
  /// Removes an element and returns it. Throws AttributeError if the name does not exist.
  Ignorable<Value> pop(std::string_view name);
  /// Removes the last element and returns it with its name. Throws KeyError if the dict is empty.
  std::pair<std::string, Value> popitem();
  /// Removes all elements.
  void clear();

  /// Adds or replaces all given elements.
  void update(std::initializer_list<Item> items);
  void update(const std::vector<Item>& items);
  void update(const ParameterDict& other);
  template <class T> void update(const std::map<std::string, T>& items) {
    for (const auto& [name, element] : items) set(name, element);
  }
  /// Adds or replaces the elements of an OrderedDict in its order, of another dict in the order of
  /// the sorted names, or of a list of pairs. Throws TypeError and ValueError with PyTorch's
  /// messages.
  void update(const Value& items);

  /// Returns the names, in the order of insertion.
  const std::vector<std::string>& keys() const { return names_; }
  /// Returns the names and elements, in the order of insertion.
  std::vector<std::pair<std::string, Value>> items() const;
  /// Returns the elements, in the order of insertion.
  Values values() const;
  /// Returns the names in reverse order. PyTorch: `reversed(d)`.
  std::vector<std::string> reversed() const;
  /// Returns a new dict that shares the elements.
  ParameterDict copy() const;
  /// Creates a dict that maps all names to the same element.
  static ParameterDict fromkeys(const std::vector<std::string>& names,
                                const detail::ParameterElement& element = Value());

  /// Merges two dicts, in which the elements of the right operand take precedence and the names of
  /// the left operand come first. Merging a dict and a ParameterDict returns a dict.
  ParameterDict operator|(const ParameterDict& other) const;
  friend Value operator|(const Value& a, const ParameterDict& b) { return b.merged_into(a); }
  ParameterDict& operator|=(const ParameterDict& other);
  ParameterDict& operator|=(const Value& other);

  std::string extra_repr() const override;

 private:
  Value merged_into(const Value& dict) const;
  std::vector<std::string> names_;
};

}  // namespace nn
}  // namespace taper
