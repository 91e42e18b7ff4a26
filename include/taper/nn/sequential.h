// Sequential: a container that applies its modules in order.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/container.h"

namespace TAPER_API taper {
namespace nn {

/// Applies its children in order. PyTorch: torch.nn.Sequential.
///
///   nn::Sequential net{nn::Linear(784, 100), nn::ReLU(), nn::Linear(100, 10)};
///   net.append(nn::LogSoftmax(1));
///   Tensor y = net(x);
///
/// Children are named "0", "1", ..., or explicitly: `Sequential{{"fc", nn::Linear(784, 10)}}`. They
/// are moved in; pass a std::shared_ptr to share one. Use braces: C++ does not specify the
/// evaluation order of arguments in parentheses, so the initial weights for a seed could differ
/// from those of PyTorch; several new modules in parentheses do not compile. Braces always list
/// children: `Sequential{make_stage()}` has one child, as in Python, while
/// `Sequential net(make_stage())` and `Sequential net = make_stage()` are the stage itself.
/// Clang takes a single Sequential in braces for the container itself, too (CWG 2311); `append`
/// nests it with every compiler.
class Sequential : public Layer<Sequential, IndexedContainer> {
 public:
  Sequential(std::initializer_list<detail::ModuleElement> modules);
  template <class First, class... M>
  requires(sizeof...(M) > 0 ||
           (!std::same_as<std::remove_cvref_t<First>, Sequential> &&
            !std::same_as<std::remove_cvref_t<First>,
                          std::vector<NamedChild>>)) explicit Sequential(First&& first,
                                                                         M&&... others) {
    detail::check_order_of_arguments<First, M...>();
    append(std::forward<First>(first));
    (append(std::forward<M>(others)), ...);
  }
  Sequential(std::initializer_list<NamedChild> children);
  explicit Sequential(const std::vector<NamedChild>& children);
  TAPER_LAYER(Sequential)

  using IndexedContainer::operator[];
  /// Returns the children of a slice, shared, with their names. PyTorch: `net[1:]`.
  Sequential operator[](const Slice& slice) const { return Sequential(children_in(slice)); }

  /// Appends a child with the next number as its name; returns the container.
  template <class M> Sequential& append(M&& module) {
    append_shared(detail::shared_module(std::forward<M>(module)));
    return *this;
  }
  /// Appends each module of a container or range of shared pointers or of modules, which are moved
  /// from; returns the container.
  template <detail::ModuleRange R> Sequential& extend(R&& modules) {
    append_all(std::forward<R>(modules));
    return *this;
  }
  /// Inserts a module before child i, where -size() <= i <= size(); returns the container. Throws
  /// IndexError if i is out of range, TypeError for null, KeyError unless children named
  /// "i" to "size() - 1" exist.
  template <class M> Sequential& insert(std::int64_t i, M&& module) {
    insert_checked(i, detail::shared_module(std::forward<M>(module)));
    return *this;
  }
  using IndexedContainer::pop;
  /// Removes the children of a slice and returns them.
  Sequential pop(const Slice& slice);

  /// Appends the children of another container, shared and renumbered; returns the container.
  Sequential& operator+=(const Sequential& other);
  /// Returns a container of the children of both operands, shared and renumbered from "0".
  Sequential operator+(const Sequential& other) const;
  /// Repeats the children `n` times, shared: `*=` in place, `*` in a new container. Throws
  /// ValueError if n < 1. `*=` throws KeyError if a name is not a number.
  template <std::integral N> Sequential& operator*=(N n) {
    return repeat(static_cast<std::int64_t>(n));
  }
  template <std::integral N> friend Sequential operator*(const Sequential& a, N n) {
    return a.repeated(static_cast<std::int64_t>(n));
  }
  template <std::integral N> friend Sequential operator*(N n, const Sequential& a) { return a * n; }

  /// Returns the result of the last child; an empty container returns its input. Throws TypeError
  /// if a child is None, or if an argument or result of a child is not a tensor. `call` supports
  /// children of other types: the result of a child is the only argument of the next.
  Tensor forward(const Tensor& input) const;

 private:
  void insert_checked(std::int64_t i, std::shared_ptr<Module> module);
  Sequential& repeat(std::int64_t n);
  Sequential repeated(std::int64_t n) const;
};

}  // namespace nn
}  // namespace taper
