// Layer and TAPER_LAYER: modules declared in a header and defined in a source file.
#pragma once
#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/fields.h"
#include "taper/core/shape.h"
#include "taper/nn/module.h"

namespace TAPER_API taper {
namespace nn {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdefaulted-function-deleted"
#endif
/// CRTP base of the layer class `Name`. Adds to `Base` the members whose signatures depend on
/// `Name`: calls, registration of hooks, and functions that return `Name&`. As members of a
/// template, they are compiled only if a program uses them; TAPER_MODULE defines them in every
/// class.
template <class Name, class Base = Module> class Layer : public Base {
 public:
  using Base::Base;
  Layer() = default;
  explicit Layer(Layer&) = default;
  Layer(Layer&&) noexcept = default;
  Layer& operator=(Layer&&) noexcept = default;
  TAPER_DETAIL_CHAINS(Name)
  struct taper_layer;  // see detail::has_typed_call
  TAPER_DETAIL_DEDUCED_CALLS(Name)
  TAPER_DETAIL_TYPED_CALLS_4(Name, const)
  TAPER_DETAIL_MODULE_HOOKS(Name)
};

/// Base of a layer whose arguments are the fields of `Options`, a struct with TAPER_OPTIONS. The
/// fields are data members of the layer; the list gives its signature, defaults and description.
template <class Options> class Configured : public Module, public Options {
 public:
  using ConfiguredBy = Options;

 protected:
  Configured() = default;
  explicit Configured(const Options& options) : Options(options) {}
  explicit Configured(Configured&) = default;
  Configured(Configured&&) noexcept = default;
  Configured& operator=(Configured&&) noexcept = default;
};
#pragma GCC diagnostic pop

namespace detail {

/// Type of an option that PyTorch also accepts by position. The constructors of layers with such an
/// argument are deleted, so that the error shows the form by name.
template <class T>
concept OptionByPosition = std::is_arithmetic_v<T> || std::same_as<T, Shape>;

/// Type of the argument `{}` of a layer whose arguments are all optional, which would otherwise
/// mean options or a layer: `nn::Dropout({})`. A scalar, to which `{}` converts without a
/// constructor.
enum class NoOptions {};

template <class Name, class Base> std::type_identity<Name> layer_of(const Layer<Name, Base>&);
/// True if `Name` is derived from its own Layer, not only from that of a base class.
template <class Name> inline constexpr bool kIsLayer = requires(const Name& layer) {
  layer_of<Name>(layer);
};

}  // namespace detail
}  // namespace nn
}  // namespace taper

// The two halves of TAPER_MODULE, for classes derived from Layer and declared in a header:
// `TAPER_LAYER(Name)` in the class declares the functions, and
// `TAPER_LAYER_MEMBERS(Name, members...)` in one source file defines them, so that they are
// compiled once.
#define TAPER_LAYER(Name)                                                      \
  TAPER_DETAIL_PUBLIC                                                          \
  template <class = void> Name() {}                                            \
  template <class TaperN = Name, class TaperO = typename TaperN::ConfiguredBy> \
  explicit Name(::taper::nn::detail::NoOptions) : Name(TaperO{}) {}            \
  TAPER_DETAIL_CLONED(Name) explicit Name(Name&);                              \
  TAPER_DETAIL_QUIET_END                                                       \
  TAPER_DETAIL_NOT_COPIED(Name)                                                \
  Name(Name&&) noexcept;                                                       \
  Name& operator=(Name&&) noexcept;                                            \
  ~Name() override;                                                            \
  [[maybe_unused]] friend void taper_listed(Name*) {}                          \
  const ::taper::nn::ClassInfo& class_info() const override;                   \
  std::shared_ptr<::taper::nn::Module> clone_shallow() const override;         \
  Name clone() const;                                                          \
  ::taper::Tensor call_tensor(const ::taper::Tensor& x) override;              \
  ::taper::Value forward_values(::taper::Values& args) override;               \
  void visit_members(::taper::nn::MemberVisitor& visitor) override;

// The constructor for one list of numbers, `LayerNorm({64})`. GCC would otherwise find a list of
// one number ambiguous, since it considers that of a temporary layer.
#define TAPER_DETAIL_BRACED_SIZES(Name)                                          \
  template <std::integral T>                                                     \
  requires(!std::same_as<T, bool>) explicit Name(std::initializer_list<T> sizes) \
      : Name(::taper::Shape(std::vector<std::int64_t>(sizes.begin(), sizes.end()))) {}

#define TAPER_DETAIL_LAYER_CLASS(Name) TAPER_DETAIL_LAYER_CLASS_AS(Name, #Name)
#define TAPER_DETAIL_LAYER_CLASS_AS(Name, text)                                 \
  TAPER_DETAIL_QUIET_BEGIN                                                      \
  Name::Name(Name&) = default;                                                  \
  TAPER_DETAIL_QUIET_END                                                        \
  Name::Name(Name&&) noexcept = default;                                        \
  Name& Name::operator=(Name&&) noexcept = default;                             \
  Name::~Name() = default;                                                      \
  const ::taper::nn::ClassInfo& Name::class_info() const {                      \
    static_assert(::taper::nn::detail::kIsLayer<Name>,                          \
                  #Name " uses TAPER_LAYER: derive it from Layer<" #Name ">");  \
    return ::taper::nn::detail::class_info_of<Name>(text);                      \
  }                                                                             \
  std::shared_ptr<::taper::nn::Module> Name::clone_shallow() const {            \
    return ::taper::nn::detail::shallow_clone(*this);                           \
  }                                                                             \
  Name Name::clone() const { return ::taper::nn::detail::clone_module(*this); } \
  void Name::visit_members([[maybe_unused]] ::taper::nn::MemberVisitor& visitor)

// TAPER_LAYER_MEMBERS_AS is for a class whose name in messages and printed forms differs from its
// C++ name.
#define TAPER_LAYER_MEMBERS(Name, ...) TAPER_LAYER_MEMBERS_AS(Name, #Name, __VA_ARGS__)
#define TAPER_LAYER_MEMBERS_AS(Name, text, ...) \
  TAPER_DETAIL_LAYER_CALLS(Name)                \
  TAPER_DETAIL_LAYER_CLASS_AS(Name, text) { TAPER_DETAIL_VISIT(__VA_ARGS__) }

// The calls of a layer by tensor and by values, by way of its forward.
#define TAPER_DETAIL_LAYER_CALLS(Name)                          \
  ::taper::Tensor Name::call_tensor(const ::taper::Tensor& x) { \
    return ::taper::nn::detail::call_with_tensor(*this, x);     \
  }                                                             \
  ::taper::Value Name::forward_values(::taper::Values& args) {  \
    return ::taper::nn::detail::forward_erased(*this, args);    \
  }
