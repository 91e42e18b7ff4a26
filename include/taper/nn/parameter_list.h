// A list of parameters.
#pragma once
#include <iterator>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/index.h"
#include "taper/nn/layer.h"

namespace TAPER_API taper {
namespace nn {

namespace detail {

/// What containers of parameters take: a Parameter as it is, another tensor as a Parameter over its
/// elements, a module, or anything that a Value holds.
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
template <class R>
concept ElementRange = requires(R& r) {
  ParameterElement(*std::begin(r));
  std::end(r);
}
&&!std::derived_from<std::remove_cvref_t<R>, Tensor>;

}  // namespace detail

/// Parameters by number: `nn::ParameterList bases{randn({3}), randn({4})}`. Tensors become
/// Parameters (RuntimeError for integers); modules become children; other values are kept as plain
/// attributes. Calling it throws RuntimeError. PyTorch: torch.nn.ParameterList.
class ParameterList : public Module {
 public:
  ParameterList(std::initializer_list<detail::ParameterElement> elements) { add_all(elements); }
  template <class R>
  requires(!std::same_as<std::remove_cvref_t<R>, ParameterList>) explicit ParameterList(
      R&& elements) {
    extend(elements);
  }
  TAPER_LAYER(ParameterList)

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Parameter i; a negative i counts from the back. Throws IndexError, and TypeError for another
  /// kind of element.
  Parameter& operator[](std::int64_t i);
  const Parameter& operator[](std::int64_t i) const;
  /// Element i, of any kind.
  Value get(std::int64_t i) const;
  /// The elements of a slice, shared.
  ParameterList operator[](const Slice& slice) const;
  /// Replaces element i. Throws IndexError, and TypeError for what is no tensor over a parameter.
  void set(std::int64_t i, const detail::ParameterElement& element);
  ParameterList& append(const detail::ParameterElement& element);
  /// Appends each element of a range or of another list.
  template <class R> ParameterList& extend(R&& elements) {
    if constexpr (std::same_as<std::remove_cvref_t<R>, ParameterList>) {
      add_all(elements.values());
    } else if constexpr (std::same_as<std::remove_cvref_t<R>, Value>) {
      add_all(sequence_of(elements));
    } else {
      static_assert(detail::ElementRange<R>,
                    "ParameterList.extend should be called with an iterable of tensors, and a "
                    "Tensor is none");
      if constexpr (detail::ElementRange<R>) add_all(elements);
    }
    return *this;
  }
  ParameterList& extend(std::initializer_list<detail::ParameterElement> elements) {
    add_all(elements);
    return *this;
  }
  template <class R> ParameterList& operator+=(R&& elements) { return extend(elements); }
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
  /// `for (nn::Parameter& p : list)`. Throws TypeError at another kind of element.
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
