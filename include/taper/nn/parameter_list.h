// ParameterList: an indexed container of parameters.
#pragma once
#include <iterator>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/index.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

namespace detail {

/// Element of a parameter container: a Parameter, another tensor, which becomes a Parameter that
/// shares its storage, a module, or any type that Value supports.
struct ParameterElement {
  Value value;
  ParameterElement(const Parameter& p) : value(Value::parameter(p)) {}
  ParameterElement(const Tensor& t) : ParameterElement(Value(t)) {}
  template <std::derived_from<Module> M> ParameterElement(std::shared_ptr<M> m)
      : value(value_of(std::shared_ptr<Module>(std::move(m)))) {}
  ParameterElement(const Value& v);
  template <class T>
  requires(std::constructible_from<Value, T> &&
           !std::derived_from<std::remove_cvref_t<T>, Tensor> &&
           !std::same_as<std::remove_cvref_t<T>, Value>) ParameterElement(T&& v)
      : value(std::forward<T>(v)) {}
};
/// Range of elements of a parameter container. A tensor is an element, not a range.
template <class R>
concept ElementRange = requires(R& r) {
  ParameterElement(*std::begin(r));
  std::end(r);
}
&&!std::derived_from<std::remove_cvref_t<R>, Tensor>;

}  // namespace detail

/// Stores parameters in a list: `nn::ParameterList bases{randn({3}), randn({4})}`. Tensors become
/// Parameters, modules become children, and other values are stored as plain attributes. Integer
/// tensors throw RuntimeError. Calling the list throws RuntimeError.
/// PyTorch: torch.nn.ParameterList.
class ParameterList : public Layer<ParameterList> {
 public:
  ParameterList(std::initializer_list<detail::ParameterElement> elements) { add_all(elements); }
  template <class R>
  requires(!std::same_as<std::remove_cvref_t<R>, ParameterList>) explicit ParameterList(
      R&& elements) {
    extend(elements);
  }
  TAPER_LAYER(ParameterList)

  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Returns parameter i; a negative i counts from the end. Throws IndexError if i is out of range,
  /// TypeError if the element is not a parameter.
  Parameter& operator[](std::int64_t i);
  const Parameter& operator[](std::int64_t i) const;
  /// Returns element i, of any kind; a negative i counts from the end. Throws IndexError if i is
  /// out of range.
  Value get(std::int64_t i) const;
  /// Returns a list of the elements of a slice, shared.
  ParameterList operator[](const Slice& slice) const;
  /// Replaces element i. Throws IndexError if i is out of range, TypeError if the element is a
  /// parameter and the new one is not a tensor.
  void set(std::int64_t i, const detail::ParameterElement& element);
  /// Appends an element; returns the list.
  ParameterList& append(const detail::ParameterElement& element);
  /// Appends each element of a range or of another list; returns the list. Throws TypeError for a
  /// Value that is not iterable.
  template <class R> ParameterList& extend(R&& elements) {
    if constexpr (std::same_as<std::remove_cvref_t<R>, ParameterList>) {
      add_all(elements.values());
    } else if constexpr (std::same_as<std::remove_cvref_t<R>, Value>) {
      add_all(sequence_of(elements));
    } else {
      static_assert(detail::ElementRange<R>,
                    "ParameterList.extend should be called with an iterable of tensors, not with a "
                    "Tensor");
      if constexpr (detail::ElementRange<R>) add_all(elements);
    }
    return *this;
  }
  ParameterList& extend(std::initializer_list<detail::ParameterElement> elements) {
    add_all(elements);
    return *this;
  }
  /// Appends each element of a range or of another list, as `extend`.
  template <class R> ParameterList& operator+=(R&& elements) { return extend(elements); }
  /// Returns the elements, in order.
  Values values() const;

  template <class List> struct IteratorOf {
    List* list;
    std::int64_t at;
    auto& operator*() const { return (*list)[at]; }
    IteratorOf& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const IteratorOf&) const = default;
  };
  using Iterator = IteratorOf<ParameterList>;
  using ConstIterator = IteratorOf<const ParameterList>;
  /// Iterates over the parameters: `for (nn::Parameter& p : list)`. Dereferencing an iterator
  /// throws TypeError if the element is not a parameter.
  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, static_cast<std::int64_t>(size_)}; }
  ConstIterator begin() const { return {this, 0}; }
  ConstIterator end() const { return {this, static_cast<std::int64_t>(size_)}; }

  std::string extra_repr() const override;

 private:
  template <class R> void add_all(const R& elements) {
    for (const auto& e : elements) append(detail::ParameterElement(e));
  }
  static const Values& sequence_of(const Value& elements);
  std::string name_of(std::int64_t i) const;
  std::size_t size_ = 0;
};

}  // namespace nn
}  // namespace taper
