// Parameters by name.
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

/// Parameters by name, in the order of insertion: `nn::ParameterDict({{"left", randn({3})}})`.
/// Elements are as in ParameterList. Calling it throws RuntimeError.
/// PyTorch: torch.nn.ParameterDict.
class ParameterDict : public Module {
 public:
  using Item = std::pair<std::string, detail::ParameterElement>;

  ParameterDict(std::initializer_list<Item> items) { update(items); }
  /// What `update` takes.
  template <class Items>
  requires(!std::same_as<std::remove_cvref_t<Items>, ParameterDict>) explicit ParameterDict(
      Items&& items) {
    update(items);
  }
  TAPER_LAYER(ParameterDict)

  std::size_t size() const { return names_.size(); }
  bool empty() const { return names_.empty(); }
  bool contains(std::string_view name) const;
  /// The parameter of a name. Throws AttributeError for a missing one, TypeError for another kind
  /// of element.
  Parameter& operator[](std::string_view name) { return attr<Parameter>(name); }
  const Parameter& operator[](std::string_view name) const { return attr<Parameter>(name); }
  /// Any kind of element. Throws AttributeError.
  Value at(std::string_view name) const;
  /// `fallback` if there is none.
  Value get(std::string_view name, const Value& fallback = {}) const;
  /// Adds or replaces an element. Names of parameters are checked as in register_parameter.
  void set(std::string_view name, const detail::ParameterElement& element);
  /// The element there, or the default after adding it.
  Ignorable<Value> setdefault(std::string_view name,
                              const detail::ParameterElement& element = Value());
  /// Throws KeyError. PyTorch: `del d[name]`.
  void erase(std::string_view name);
  /// Takes an element out and gives it. Throws AttributeError.
  Ignorable<Value> pop(std::string_view name);
  /// The same of the last one. Throws KeyError if there is none.
  std::pair<std::string, Value> popitem();
  void clear();

  void update(std::initializer_list<Item> items);
  void update(const std::vector<Item>& items);
  void update(const ParameterDict& other);
  template <class T> void update(const std::map<std::string, T>& items) {
    for (const auto& [name, element] : items) set(name, element);
  }
  /// An OrderedDict in its order, another dict sorted by name, or a list of pairs. Throws TypeError
  /// and ValueError with PyTorch's texts.
  void update(const Value& items);

  const std::vector<std::string>& keys() const { return names_; }
  std::vector<std::pair<std::string, Value>> items() const;
  Values values() const;
  /// Names from the last to the first. PyTorch: `reversed(d)`.
  std::vector<std::string> reversed() const;
  /// Another dict of the same elements.
  ParameterDict copy() const;
  /// A dict with one default for several names.
  static ParameterDict fromkeys(const std::vector<std::string>& names,
                                const detail::ParameterElement& element = Value());

  /// Both; the right one wins, names of the left one come first. Of a dict and a ParameterDict a
  /// dict.
  friend ParameterDict operator|(const ParameterDict& a, const ParameterDict& b);
  friend Value operator|(const Value& a, const ParameterDict& b);
  ParameterDict& operator|=(const ParameterDict& other);
  ParameterDict& operator|=(const Value& other);

  std::string extra_repr() const override;

 private:
  std::vector<std::string> names_;
};

}  // namespace nn
}  // namespace taper
