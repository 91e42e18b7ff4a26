// Class registry: construction and description of modules by class name.
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
#include "taper/core/fields.h"
#include "taper/nn/convert.h"
#include "taper/nn/module_base.h"

namespace TAPER_API taper {
namespace nn {

/// Constructor call that creates a module: class name and arguments by PyTorch's names.
struct Description {
  std::string name{};               ///< "Conv2d"
  Value arguments = Value::dict();  ///< all arguments, in the order of the signature
  /// Children of a container; null for None. A description that occurs twice represents one shared
  /// module.
  std::vector<std::pair<std::string, std::shared_ptr<const Description>>> children{};
  /// Returns the Python form of the call: "Conv2d(3, 8, kernel_size=(3, 3))". Arguments equal to
  /// their defaults are omitted.
  std::string str() const;
};
/// Writes `description.str()`.
std::ostream& operator<<(std::ostream& out, const Description& description);

/// Creates a module of the class `name`: any layer, loss or container of the library, or a class
/// registered with TAPER_REGISTER. Arguments have PyTorch's names, order and defaults; `kwargs` is
/// a dict or None. The name may be the path of the class in Python, "torch.nn.modules.conv.Conv2d".
///
///   auto conv = nn::make("Conv2d", {3, 64, 7}, Value::dict({{"stride", 2}, {"padding", "same"}}));
///
/// Throws AttributeError for an unknown class, TypeError for arguments that are missing, unknown,
/// superfluous, repeated or of the wrong type, ValueError for a name that two classes are
/// registered under, and the errors of the constructor.
std::shared_ptr<Module> make(std::string_view name, const Values& args = {},
                             const Value& kwargs = {});
/// Creates a module from its description, with newly initialized parameters. Throws the errors of
/// `make(name, args, kwargs)`.
std::shared_ptr<Module> make(const Description& description);

/// Returns the class and the arguments that create a module equal to `module` except for the values
/// of its parameters. dtype and device are those of its first tensor. Dynamically registered
/// entries are described for containers only. Throws RuntimeError if the class is neither part of
/// the library nor registered with TAPER_REGISTER.
Description describe(const Module& module);

/// Creates a module from the attributes of the corresponding Python object, as pickled. Attributes
/// whose names are constructor arguments become arguments, `bias` is true if `_parameters` has an
/// entry "bias" that is not None, dtype and device are those of the first tensor, and all other
/// attributes are ignored. Containers are created without children. Throws the errors of
/// `make(name, args, kwargs)`.
std::shared_ptr<Module> make_from_attributes(std::string_view name, const Value& attributes);

/// Returns the class names that `make` accepts, in alphabetical order.
std::vector<std::string> class_names();

namespace detail {

struct ModuleSchema;

/// Arguments of one constructor call, by their names in the signature, with defaults filled in.
class Arguments {
 public:
  explicit Arguments(const ModuleSchema& schema) : schema_(schema) {}
  /// Returns an argument; None if it was not given and has no default.
  const Value& operator[](std::string_view name) const;
  /// Returns an argument as T. Throws TypeError of the form "Linear(): argument 'bias' must be
  /// bool, not str".
  template <class T> T get(std::string_view name) const {
    const Value& v = (*this)[name];
    try {
      return Convert<T>::from(v);
    } catch (const Error&) { reject(name, expected<T>()); }
  }
  // Return an argument of the given type; the `optional_` functions and `tensor` return
  // std::nullopt for None. Throw TypeError as `get`.
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  Scalar scalar(std::string_view name) const;
  const std::string& string(std::string_view name) const;
  /// Returns one integer, or a list or tuple of integers, as a Shape; None entries are -1.
  Shape sizes(std::string_view name) const;
  std::optional<std::int64_t> optional_integer(std::string_view name) const;
  std::optional<double> optional_number(std::string_view name) const;
  std::optional<Shape> optional_sizes(std::string_view name) const;
  std::optional<Tensor> tensor(std::string_view name) const;
  std::optional<DType> dtype() const;    ///< value of the argument "dtype"
  std::optional<Device> device() const;  ///< value of the argument "device", which may be a string
  /// Throws the TypeError of an argument that is not of the `expected` type.
  [[noreturn]] void reject(std::string_view name, std::string_view expected) const;
  /// Throws the TypeError of a required argument that was not given.
  [[noreturn]] void throw_missing(std::string_view name) const;

  /// Returns the number of given arguments. For a user-defined class, these are the first arguments
  /// of the signature.
  std::size_t given_first() const { return given_; }
  /// Names and values of all arguments, in the order of the signature.
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
  const ModuleSchema& schema_;
  std::size_t given_ = 0;
};

/// Schema of a module class: how its modules are created and described.
struct ModuleSchema {
  std::string_view name;       ///< "Conv2d"
  std::string_view file;       ///< "conv" of torch.nn.modules.conv; empty for user-defined classes
  std::string_view signature;  ///< "in_channels, ..., stride=1, ...", in Python syntax
  const std::type_info* type;
  std::shared_ptr<Module> (*make)(const Arguments&);
  /// Returns the values of the arguments, in the order of the signature. Null for containers.
  Values (*options)(const Module&);
};

/// Registration of a class of modules: the constructor adds the schema, which must outlive the
/// object, to the registry, and the destructor removes it.
class Registration {
 public:
  explicit Registration(const ModuleSchema& schema);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  const ModuleSchema& schema_;
};

template <class Pointer> struct OptionType;
template <class M, class T> struct OptionType<T M::*> { using Type = T; };

/// Schema of a user-defined class. `Options` are pointers to data members.
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
    // Calling the template default constructor of TAPER_MODULE would initialize no option.
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
                  "TAPER_REGISTER names an option of a type that no Value holds: specialize "
                  "nn::Convert for it");
    return {Value(Convert<std::remove_cvref_t<decltype(std::declval<M&>().*Options)>>::to(
        dynamic_cast<const M&>(m).*Options))...};
  }
  /// Returns the schema of the class. `written` may be qualified; the namespaces are removed.
  static constexpr ModuleSchema schema(std::string_view written, std::string_view names) {
    static_assert(std::is_base_of_v<Module, M>, "TAPER_REGISTER names a class of modules");
    static_assert(
        constructible(std::index_sequence_for<decltype(Options)...>{}) || sizeof...(Options) == 0,
        "TAPER_REGISTER names options that are not, in this order, the arguments of a "
        "constructor");
    return {written.substr(written.rfind(':') + 1), {}, names, &typeid(M), make, options};
  }
};

}  // namespace detail

using detail::Arguments;

/// Registers a function with `nn::make`, while the object exists, under the name of a model whose
/// arguments are not those of a class:
///
///   static const nn::FunctionRegistration mlp("mlp", "width=64, dropout=0.0",
///       [](const nn::Arguments& a) -> std::shared_ptr<nn::Module> {
///         return std::make_shared<Mlp>(a.integer("width"), a.number("dropout"));
///       });
///
/// The signature has Python's syntax; defaults are numbers, strings, bools, None or (). `describe`
/// does not apply to the modules that the function returns. Throws KeyError if a module class of
/// the library or another function has the name.
class TAPER_API FunctionRegistration {
 public:
  using Function = std::shared_ptr<Module> (*)(const Arguments&);
  FunctionRegistration(std::string_view name, std::string_view signature, Function function);

 private:
  const std::string name_, signature_;
  const detail::ModuleSchema schema_;
  const detail::Registration registration_;
};

}  // namespace nn
}  // namespace taper

#define TAPER_DETAIL_JOIN(a, b) TAPER_DETAIL_JOIN1(a, b)
#define TAPER_DETAIL_JOIN1(a, b) a##b

/// Registers a class with `nn::make` and `nn::describe`: `TAPER_REGISTER(MyNet, width, depth)`,
/// once, in a source file, at namespace scope. The options are the first parameters of a
/// constructor, in order, and data members of the same names that store the values given to it.
/// Trailing options other than the first are optional if the constructor has defaults for them.
/// Without options, the class must be default constructible. A class in a shared library is
/// registered while the library is loaded.
#define TAPER_REGISTER(Name, ...)                                                                \
  static constexpr ::taper::nn::detail::ModuleSchema TAPER_DETAIL_JOIN(taper_class_, __LINE__) = \
      ::taper::nn::detail::UserClass<Name TAPER_DETAIL_PREFIXED(&Name::, __VA_ARGS__)>::schema(  \
          #Name, #__VA_ARGS__);                                                                  \
  [[maybe_unused]] static const ::taper::nn::detail::Registration TAPER_DETAIL_JOIN(             \
      taper_registration_, __LINE__)(TAPER_DETAIL_JOIN(taper_class_, __LINE__));
