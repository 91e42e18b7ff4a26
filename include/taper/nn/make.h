// Modules from the names of their classes, and back.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/error.h"
#include "taper/nn/convert.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// What a module is made from: its class, and the arguments of its constructor by PyTorch's names.
struct Description {
  std::string name{};               ///< "Conv2d"
  Value arguments = Value::dict();  ///< every argument, in the order of the signature
  /// What stands in a container, None included. One description at two places is one module there.
  std::vector<std::pair<std::string, std::shared_ptr<const Description>>> children{};
  /// As a call of Python: "Conv2d(3, 8, kernel_size=(3, 3))". Arguments that have their defaults
  /// are left out.
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const Description& description);

/// Makes a module of a class that is known by name: every layer, loss and container of the library,
/// and what TAPER_REGISTER names. Arguments have PyTorch's names, order and defaults; `kwargs` is a
/// dict or None. A class may be given by its path in Python, "torch.nn.modules.conv.Conv2d".
///
///   auto conv = nn::make("Conv2d", {3, 64, 7}, Value::dict({{"stride", 2}, {"padding", "same"}}));
///
/// Throws AttributeError for an unknown class, TypeError for arguments that are missing, unknown,
/// too many, given twice or of the wrong type, ValueError for a name that two classes were
/// registered under, and what the constructor throws.
std::shared_ptr<Module> make(std::string_view name, const Values& args = {},
                             const Value& kwargs = {});
/// Makes what was described, with initial values of its own.
std::shared_ptr<Module> make(const Description& description);

/// Class and arguments that make a module equal to this one, but for the values of its parameters:
/// dtype and device are those of its first tensor. What was registered by name at run time is
/// described for containers only. Throws RuntimeError for a class that has no name: TAPER_REGISTER.
Description describe(const Module& module);

/// Makes a module from the attributes that Python keeps and pickles in it: what is named as an
/// argument is one, a `bias` is wanted if there is one among `_parameters`, dtype and device are
/// those of the first tensor, and everything else is passed over. Containers come out empty. Throws
/// as `make`.
std::shared_ptr<Module> make_from_attributes(std::string_view name, const Value& attributes);

/// The names that `make` knows, in alphabetical order.
std::vector<std::string> class_names();

namespace detail {

struct ClassRow;

/// The arguments of one construction, each under its name in the signature, defaults filled in.
class Arguments {
 public:
  explicit Arguments(const ClassRow& row) : row_(row) {}
  /// None for an argument that was not given and has no default.
  const Value& operator[](std::string_view name) const;
  /// Throws TypeError that names the argument: "Linear(): argument 'bias' must be bool, not str".
  template <class T> T get(std::string_view name) const {
    const Value& v = (*this)[name];
    try {
      return Convert<T>::from(v);
    } catch (const Error&) { refuse(name, expected<T>()); }
  }
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  Scalar scalar(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  /// One integer, or a list or tuple of integers, where None counts as -1.
  Shape sizes(std::string_view name) const;
  std::optional<std::int64_t> optional_integer(std::string_view name) const;
  std::optional<double> optional_number(std::string_view name) const;
  std::optional<Shape> optional_sizes(std::string_view name) const;
  std::optional<Tensor> tensor(std::string_view name) const;
  std::optional<DType> dtype() const;    ///< of the argument "dtype"
  std::optional<Device> device() const;  ///< of "device", which may be text
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;
  [[noreturn]] void throw_missing(std::string_view name) const;

  /// How many were given: of classes of users, where these are always the first ones.
  std::size_t given_first() const { return given_; }
  std::vector<std::pair<std::string, Value>> all{};

 private:
  friend struct Binder;
  template <class T> static constexpr std::string_view expected() {
    if constexpr (std::is_same_v<T, bool>)
      return "bool";
    else if constexpr (std::is_integral_v<T>)
      return "int";
    else if constexpr (std::is_floating_point_v<T>)
      return "float";
    else if constexpr (std::is_same_v<T, std::string>)
      return "str";
    else if constexpr (std::is_same_v<T, Shape>)
      return "a tuple of ints";
    else
      return "of another type";
  }
  const ClassRow& row_;
  std::size_t given_ = 0;
};

/// How modules of a class are made and described.
struct ClassRow {
  std::string_view name;       ///< "Conv2d"
  std::string_view file;       ///< "conv" of torch.nn.modules.conv; empty for classes of users
  std::string_view signature;  ///< "in_channels, ..., stride=1, ...", as Python writes it
  const std::type_info* type;
  std::shared_ptr<Module> (*make)(const Arguments&);
  /// The values of the arguments, in the order of the signature. Null for containers.
  Values (*options)(const Module&);
};

/// Makes a class known as long as it lives.
class Registration {
 public:
  explicit Registration(const ClassRow& row);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  const ClassRow& row_;
};

template <class Pointer> struct OptionType;
template <class M, class T> struct OptionType<T M::*> { using Type = T; };

/// The row of a class of a user. Options are given by pointers to members.
template <class M, auto... Options> struct UserClass {
  template <std::size_t I> using Type =
      typename OptionType<std::tuple_element_t<I, std::tuple<decltype(Options)...>>>::Type;

  template <std::size_t... I> static constexpr bool constructible(std::index_sequence<I...>) {
    return std::is_constructible_v<M, Type<I>...>;
  }
  template <std::size_t... I>
  static std::shared_ptr<Module> with(const Arguments& a, std::index_sequence<I...>) {
    return std::make_shared<M>(a.get<Type<I>>(a.all[I].first)...);
  }
  template <std::size_t N> static std::shared_ptr<Module> first(const Arguments& a) {
    constexpr std::make_index_sequence<N> kFirst;
    // No argument at all would reach the constructor that the macro brings, which sets nothing.
    if constexpr (N > 1)
      if (a.given_first() < N) return first<N - 1>(a);
    if (a.given_first() < N) a.throw_missing(a.all[0].first);
    if constexpr (constructible(kFirst))
      return with(a, kFirst);
    else
      a.throw_missing(a.all[N].first);
  }
  static std::shared_ptr<Module> make(const Arguments& a) {
    if constexpr (sizeof...(Options) == 0)
      return std::make_shared<M>();
    else
      return first<sizeof...(Options)>(a);
  }
  static Values options([[maybe_unused]] const Module& m) {
    static_assert((Convertible<std::remove_cvref_t<decltype(std::declval<M&>().*Options)>> && ...),
                  "TAPER_REGISTER names an option of a type that no Value holds: specialise "
                  "nn::Convert for it");
    return {Value(Convert<std::remove_cvref_t<decltype(std::declval<M&>().*Options)>>::to(
        dynamic_cast<const M&>(m).*Options))...};
  }
  /// A name without the namespaces it was written with.
  static constexpr ClassRow row(std::string_view written, std::string_view names) {
    static_assert(std::is_base_of_v<Module, M>, "TAPER_REGISTER names a class of modules");
    static_assert(
        constructible(std::index_sequence_for<decltype(Options)...>{}) || sizeof...(Options) == 0,
        "TAPER_REGISTER names options that are not, in this order, the arguments of a "
        "constructor");
    return {written.substr(written.rfind(':') + 1), {}, names, &typeid(M), make, options};
  }
};

}  // namespace detail
}  // namespace nn
}  // namespace taper

#define TAPER_DETAIL_PARENTHESES ()
#define TAPER_DETAIL_EXPAND(...) \
  TAPER_DETAIL_EXPAND3(TAPER_DETAIL_EXPAND3(TAPER_DETAIL_EXPAND3(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND3(...) \
  TAPER_DETAIL_EXPAND2(TAPER_DETAIL_EXPAND2(TAPER_DETAIL_EXPAND2(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND2(...) \
  TAPER_DETAIL_EXPAND1(TAPER_DETAIL_EXPAND1(TAPER_DETAIL_EXPAND1(__VA_ARGS__)))
#define TAPER_DETAIL_EXPAND1(...) __VA_ARGS__
#define TAPER_DETAIL_POINTERS(Name, ...) \
  __VA_OPT__(TAPER_DETAIL_EXPAND(TAPER_DETAIL_POINTER(Name, __VA_ARGS__)))
#define TAPER_DETAIL_POINTER(Name, option, ...) \
  , &Name::option __VA_OPT__(TAPER_DETAIL_POINTER_AGAIN TAPER_DETAIL_PARENTHESES(Name, __VA_ARGS__))
#define TAPER_DETAIL_POINTER_AGAIN() TAPER_DETAIL_POINTER
#define TAPER_DETAIL_JOIN(a, b) TAPER_DETAIL_JOIN1(a, b)
#define TAPER_DETAIL_JOIN1(a, b) a##b

/// Makes a class known to `nn::make` and `nn::describe`: `TAPER_REGISTER(MyNet, width, depth)`
/// once, in a source file, outside of functions. The options are the first arguments of a
/// constructor, in its order, and data members of the same names that tell what the object was made
/// with; those at the end, but not the first, may be left out if the constructor has defaults for
/// them. Without options the class is default constructible. In a shared library the class is known
/// while the library is loaded.
#define TAPER_REGISTER(Name, ...)                                                            \
  static constexpr ::taper::nn::detail::ClassRow TAPER_DETAIL_JOIN(taper_class_, __LINE__) = \
      ::taper::nn::detail::UserClass<Name TAPER_DETAIL_POINTERS(Name, __VA_ARGS__)>::row(    \
          #Name, #__VA_ARGS__);                                                              \
  [[maybe_unused]] static const ::taper::nn::detail::Registration TAPER_DETAIL_JOIN(         \
      taper_registration_, __LINE__)(TAPER_DETAIL_JOIN(taper_class_, __LINE__));
