// Modules one after the other.
#pragma once
#include "taper/core/api.h"
#include "taper/nn/container.h"

namespace TAPER_API taper {
namespace nn {

/// Feeds its input through its children in order. PyTorch: torch.nn.Sequential.
///
///   nn::Sequential net{nn::Linear(784, 100), nn::ReLU(), nn::Linear(100, 10)};
///   net.append(nn::LogSoftmax(1));
///   Tensor y = net(x);
///
/// Children are named "0", "1", ..., or as given: `Sequential{{"fc", nn::Linear(784, 10)}}`. They
/// are moved in; pass a std::shared_ptr to share one. Write braces: in parentheses C++ makes
/// arguments in any order, so the weights that a seed gives would not be Python's; two new modules
/// there do not compile. (One Sequential inside another is appended: as the only argument of the
/// constructor it is moved from.)
class Sequential : public ModuleRow {
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

  using ModuleRow::operator[];
  /// The children of a slice under the names they have here, shared. PyTorch: `net[1:]`.
  Sequential operator[](const Slice& slice) const { return Sequential(children_in(slice)); }

  /// Adds a child under the next number; gives the container back.
  template <class M> Sequential& append(M&& module) {
    append_shared(detail::shared_module(std::forward<M>(module)));
    return *this;
  }
  /// Appends each module of a container or range: shared pointers, or modules to move from.
  template <detail::ModuleRange R> Sequential& extend(R&& modules) {
    append_all(std::forward<R>(modules));
    return *this;
  }
  /// Puts a module before child i, which may be the size, or negative to count from there. Throws
  /// IndexError, TypeError for null, KeyError where names are not numbers (but at the end).
  template <class M> Sequential& insert(std::int64_t i, M&& module) {
    insert_checked(i, detail::shared_module(std::forward<M>(module)));
    return *this;
  }
  using ModuleRow::pop;
  /// Takes the children of a slice out.
  Sequential pop(const Slice& slice);

  /// Adds the children of another, shared, under the next numbers.
  Sequential& operator+=(const Sequential& other);
  /// The children of both, shared, numbered anew.
  friend Sequential operator+(const Sequential& a, const Sequential& b);
  /// The same children `n` times. Throws ValueError for n < 1; `*=` throws KeyError for names that
  /// are not numbers.
  template <std::integral N> Sequential& operator*=(N n) {
    return repeat(static_cast<std::int64_t>(n));
  }
  template <std::integral N> friend Sequential operator*(const Sequential& a, N n) {
    return a.repeated(static_cast<std::int64_t>(n));
  }
  template <std::integral N> friend Sequential operator*(N n, const Sequential& a) { return a * n; }

  /// The last child's result. An empty container gives its input. Throws TypeError for a child that
  /// is None, or takes or gives something else than a tensor: those work
  /// through `call`, where what a child gives is the one argument of the next.
  Tensor forward(const Tensor& input) const;

 private:
  void insert_checked(std::int64_t i, std::shared_ptr<Module> module);
  Sequential& repeat(std::int64_t n);
  Sequential repeated(std::int64_t n) const;
};

}  // namespace nn
}  // namespace taper
