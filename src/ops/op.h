// Declaration of an op: a struct with its attributes, a constexpr OpInfo, `infer` and `backward`.
// The library derives everything else from it: dispatch, the autograd node, calls by name,
// printing, checks and the table in the docs.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <forward_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "core/tensor_impl.h"
#include "ops/autocast.h"
#include "ops/dtype_set.h"
#include "taper/core/fields.h"

namespace taper {

enum class TypePromotion : std::uint8_t {
  none,          ///< the op determines dtypes
  standard,      ///< computes in the promoted dtype
  int_to_float,  ///< computes in the promoted dtype; integers become the default float dtype
  comparison     ///< computes in the promoted dtype, returns bool
};
enum class OutputLayout : std::uint8_t {
  row_major,     ///< row-major outputs
  propagate,     ///< channels-last if an input of the output's shape is channels-last
  channels_last  ///< always channels-last ([N, C, ...] outputs)
};
/// Return the bits of input i and of output i in OpInfo::saved.
constexpr unsigned in(int i) { return 1u << i; }
constexpr unsigned out(int i) { return 1u << (16 + i); }

struct ShapeInference;
/// Static properties of an op. All fields except `name` and `dtypes` have defaults, so that adding
/// a field does not affect existing ops.
struct OpInfo {
  std::string_view name;                ///< "max_pool2d": name in PyTorch
  std::string_view node{};              ///< "MaxPool2DWithIndicesBackward0"; empty: no gradient
  std::string_view inputs{};            ///< "input weight bias?"; "tensors..." accepts any number
  std::string_view outputs = "output";  ///< names of the outputs
  /// Supported dtypes of the promoted inputs, or of the first tensor if `promote` is `none`.
  DTypeSet dtypes{};
  unsigned saved = 0;  ///< tensors saved for backward: in(i) | out(i); backward can read no others
  TypePromotion promote = TypePromotion::none;
  unsigned conditions = 0;  ///< number of leading inputs that are excluded from promotion
  AutocastPolicy autocast = AutocastPolicy::passthrough;
  OutputLayout layout = OutputLayout::row_major;
  bool broadcast = false;       ///< inputs broadcast against each other
  bool inplace = false;         ///< has an in-place form that overwrites input 0
  bool random = false;          ///< consumes random numbers from a generator
  bool view = false;            ///< returns a view of input 0 without running a kernel
  bool has_cpu_kernel = false;  ///< has a CPU kernel in addition to the reference kernel
  bool half_in_f32 = false;     ///< its CPU kernel computes f16 and bf16 with copies in f32
  /// The node of PyTorch has the last input first, which is the order of the hooks on leaves.
  bool last_input_first = false;
  /// The in-place form accepts a tensor whose elements share memory, such as an expanded one. Its
  /// reference kernel, which then runs, writes the elements in order. Other ops reject it.
  bool accepts_overlap = false;
  std::string_view overlap_warning{};  ///< PyTorch's warning for such a tensor, if it deprecates it
  /// Throws PyTorch's error for an unsupported dtype. Null selects ShapeInference::reject_dtype.
  void (*dtype_error)(const ShapeInference&) = nullptr;
  std::string_view public_name{};  ///< of the function that users call, if it is not `name`

  /// Returns the name of the op in errors.
  constexpr std::string_view function() const { return public_name.empty() ? name : public_name; }
};
/// Returns `info` of an op that users call by the name `public_name`.
constexpr OpInfo called(std::string_view public_name, OpInfo info) {
  info.public_name = public_name;
  return info;
}

/// Operand of an op: a tensor or a number.
struct OpInput {
  const Tensor* tensor = nullptr;
  const Scalar* scalar = nullptr;
  OpInput() = default;
  OpInput(const Tensor& t) : tensor(&t) {}
  OpInput(const Scalar& s) : scalar(&s) {}
  bool given() const { return scalar || (tensor && tensor->defined()); }
  TensorImpl* impl() const { return tensor ? tensor->impl() : nullptr; }
};

inline constexpr int kMaxOutputs = 6;
/// Specification of an output, determined by shape inference.
struct OutputSpec {
  Shape shape, strides;  ///< strides are set for views and for outputs that are not row-major
  std::int64_t offset = 0;
  DType dtype = DType::f32;
  bool absent = false;         ///< output not requested by the caller: no tensor is created
  bool channels_last = false;  ///< channels-last regardless of the layout of the inputs (cat)
};

/// Arguments and result of shape inference, which checks the inputs and determines shape, dtype and
/// layout of the outputs.
struct ShapeInference {
  const OpInfo& op;
  std::span<const OpInput> ins;
  DType common = DType::f32;  ///< promoted dtype; without promotion, that of the first tensor
  const Shape* broadcast = nullptr;  ///< common shape of the inputs; null if they do not broadcast
  OutputSpec* outs = nullptr;
  int num_outputs = 0;  ///< number of outputs specified so far

  bool has(int i) const { return i < static_cast<int>(ins.size()) && ins[pos(i)].given(); }
  const TensorImpl& tensor(int i) const { return *ins[pos(i)].impl(); }
  const Shape& shape(int i) const {
    const TensorImpl* t = ins[pos(i)].impl();
    return t ? t->shape : scalar_shape();
  }
  DType dtype(int i) const {
    const OpInput& in = ins[pos(i)];
    return in.scalar ? in.scalar->dtype() : in.impl()->dtype;
  }
  std::size_t rank(int i) const { return shape(i).size(); }
  /// Returns the dtype of the result under the op's promotion (bool for comparisons).
  DType result() const { return op.promote == TypePromotion::comparison ? DType::bool_ : common; }
  void set_output(const Shape& shape, DType dtype) {
    outs[num_outputs].shape = shape;
    outs[num_outputs++].dtype = dtype;
  }
  /// Specifies an optional output. If `wanted` is false, the output is not created: its view has no
  /// shape and the tensor is undefined.
  void set_optional_output(bool wanted, const Shape& shape, DType dtype) {
    outs[num_outputs].absent = !wanted;
    set_output(shape, dtype);
  }
  /// Specifies the output of an elementwise op: the broadcast shape in the promoted dtype.
  void set_broadcast_output() { set_output(broadcast ? *broadcast : shape(0), result()); }
  void set_view_output(Shape shape, Shape strides, std::int64_t offset) {
    outs[num_outputs++] = {std::move(shape), std::move(strides), offset, dtype(0)};
  }
  /// Throws E("<op>: <message>").
  template <class E = ShapeError, class... A>
  [[noreturn]] void fail(fmt::format_string<FormatArg<A>...> form, const A&... args) const {
    throw_formatted<E>(std::string(op.function()) + ": " + format_message(form, args...));
  }
  /// Throws RuntimeError unless `number` can be converted to `dtype` without overflow.
  void check_range(const Scalar& number, DType dtype) const;
  /// Throws ShapeError unless inputs a and b have the same shape.
  void check_same_shape(int a, int b) const;
  /// Throws NotImplementedError("<op>: not implemented for '<name of the ScalarType>'").
  [[noreturn]] void reject_dtype(DType dtype) const;

 private:
  static const Shape& scalar_shape();
  static std::size_t pos(int i) { return static_cast<std::size_t>(i); }
};

class OpNode;
/// Arguments and results of a gradient rule, without the saved tensors: for code shared by several
/// ops. Rules are written in terms of public ops, which makes them differentiable. The engine sums
/// a gradient over broadcast dimensions and converts it to the dtype of its input.
class BackwardContextBase {
 public:
  BackwardContextBase(std::span<Tensor> grads, std::span<Tensor> results, OpNode& node)
      : grads_(grads), results_(results), node_(node) {}
  BackwardContextBase(const BackwardContextBase&) = delete;
  BackwardContextBase& operator=(const BackwardContextBase&) = delete;

  bool needs_input_grad(int i) const;
  /// Returns the gradient of output i. An undefined gradient is returned as zeros.
  const Tensor& grad(int i = 0);
  bool has_grad(int i) const { return grads_[static_cast<std::size_t>(i)].defined(); }
  const TensorMeta& input_meta(int i) const;
  const TensorMeta& output_meta(int i) const;
  int num_inputs() const;
  /// Returns the gradient of input i for assignment.
  Tensor& operator[](int i) { return results_[static_cast<std::size_t>(i)]; }

 protected:
  const Tensor& saved_input(int i);
  const Tensor& saved_output(int i);

 private:
  std::span<Tensor> grads_, results_;
  OpNode& node_;
  std::forward_list<Tensor> unpacked_{};  ///< saved tensors with their autograd history
};

/// Context of the gradient rule of op O, with access to the tensors listed in `O::op.saved`.
template <class O> class BackwardContext : public BackwardContextBase {
 public:
  using BackwardContextBase::BackwardContextBase;

  /// Returns saved input I. Undefined if the input was absent.
  template <int I> const Tensor& input() {
    static_assert(I >= 0 && I < 16 && (O::op.saved & in(I)) != 0,
                  "the gradient rule reads an input that OpInfo::saved does not list");
    return saved_input(I);
  }
  /// Returns saved output I.
  template <int I> const Tensor& output() {
    static_assert(I >= 0 && I < 16 && (O::op.saved & out(I)) != 0,
                  "the gradient rule reads an output that OpInfo::saved does not list");
    return saved_output(I);
  }
};

/// Arguments of a kernel: views with physical strides, without autograd state.
struct KernelArgs {
  std::span<const View> in, out;
  DType compute = DType::f32;  ///< the promoted dtype
  bool has(int i) const {
    return static_cast<std::size_t>(i) < in.size() && in[static_cast<std::size_t>(i)].shape;
  }
};

/// Type-erased reference to one attribute, for code that is independent of the op: printing, calls
/// by name, backends.
struct AttributeRef {
  enum class Kind : std::uint8_t {
    integer,
    floating,
    boolean,
    shape,
    scalar,
    string,
    dtype,
    optional_integer,
    optional_floating,
    optional_shape,
    optional_scalar,
    optional_dtype,
    opaque
  };
  Kind kind;
  void* address;
};
AttributeRef attribute_ref(std::int64_t&);
AttributeRef attribute_ref(double&);
AttributeRef attribute_ref(bool&);
AttributeRef attribute_ref(Shape&);
AttributeRef attribute_ref(Scalar&);
AttributeRef attribute_ref(std::string&);
AttributeRef attribute_ref(DType&);
AttributeRef attribute_ref(std::optional<std::int64_t>&);
AttributeRef attribute_ref(std::optional<double>&);
AttributeRef attribute_ref(std::optional<Shape>&);
AttributeRef attribute_ref(std::optional<Scalar>&);
AttributeRef attribute_ref(std::optional<DType>&);
template <class T> AttributeRef attribute_ref(T& other) {
  return {AttributeRef::Kind::opaque, &other};  // for example a generator: not accessible by name
}
/// Returns the printed form of an attribute; "..." if it is opaque.
std::string format_attribute(AttributeRef a);

/// Declares the attributes of an op, in the order of its schema.
#define TAPER_ATTRIBUTES(...)                                                 \
  template <class F> void each(F&& f) {                                       \
    ::taper::detail::visit_named(f, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
  }
using AttributeVisitor = void (*)(void* context, std::string_view name, AttributeRef value);

/// Type-erased descriptor of an op.
struct OpDescriptor {
  OpInfo info;
  int output_count;
  std::size_t size, align;
  void (*infer)(const void*, ShapeInference&);
  /// Null if the op is not differentiable.
  void (*backward)(const void*, std::span<Tensor> grads, std::span<Tensor> results, OpNode&);
  /// Null if the op has no rule `add_input_grad`.
  void (*add_input_grad)(const void*, const Tensor& grad, Tensor& total);
  void (*reference_kernel)(const void*, const KernelArgs&);
  bool (*cpu_kernel)(const void*,
                     const KernelArgs&);  ///< false: not supported, use `reference_kernel`
  void (*construct)(void* to);            ///< creates the default attributes at `to`
  void (*copy)(void* to, const void* from);
  void (*end)(void*) noexcept;
  void (*fields)(void*, AttributeVisitor, void* context);
  double (*flops)(const void*, const KernelArgs&);  ///< null: one operation per output element
};

/// Reference kernel of an op. Defined by every op: a missing definition is a link error.
template <class O> void reference_kernel(const O&, const KernelArgs&);
/// Calls a kernel with row-major copies of the inputs that are in another order, such as expanded
/// gradients. Returns false if there are none, if they have far more elements than the other
/// operands, or if the kernel does.
bool run_on_row_major(bool (*kernel)(const void* attributes, const KernelArgs&),
                      const void* attributes, const KernelArgs& args);
/// Calls a kernel with copies of the operands in f16 and bf16 as f32, and rounds its results.
/// Returns false if there are none, or if the kernel does.
bool run_half_in_f32(bool (*kernel)(const void* attributes, const KernelArgs&),
                     const void* attributes, const KernelArgs& args);
/// CPU kernel, defined by ops with `.has_cpu_kernel = true`. Returns false to leave a call to the
/// reference kernel.
template <class O> bool cpu_kernel(const O&, const KernelArgs&);

/// Returns the number of words of a string, which are separated by spaces.
constexpr int count_words(std::string_view s) {
  int n = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    n += s[i] != ' ' && (i + 1 == s.size() || s[i + 1] == ' ');
  return n;
}
/// Returns the inputs and outputs that an op can save. Lists of tensors cannot be saved.
constexpr unsigned savable_mask(const OpInfo& op) {
  const int inputs = count_words(op.inputs) - op.inputs.ends_with("...");
  return (in(inputs)-in(0)) | (out(count_words(op.outputs)) - out(0));
}
template <class O> constexpr OpDescriptor make_descriptor() {
  OpDescriptor t{};
  t.info = O::op;
  t.output_count = count_words(O::op.outputs);
  t.size = sizeof(O), t.align = alignof(O);
  t.infer = [](const void* o, ShapeInference& i) { static_cast<const O*>(o)->infer(i); };
  constexpr bool has_rule = requires(const O& o, BackwardContext<O>& b) { o.backward(b); };
  static_assert(has_rule == !O::op.node.empty(),
                "an op has both a node and `backward(BackwardContext<O>&) const`, or neither");
  static_assert(!O::op.dtypes.empty(), "an op declares the dtypes that it supports");
  static_assert((O::op.saved & ~savable_mask(O::op)) == 0,
                "OpInfo::saved lists an input or output that the op does not declare");
  if constexpr (has_rule)
    t.backward = [](const void* o, std::span<Tensor> grads, std::span<Tensor> results, OpNode& n) {
      BackwardContext<O> b(grads, results, n);
      static_cast<const O*>(o)->backward(b);
    };
  if constexpr (requires(const O& o, const Tensor& g, Tensor& t) { o.add_input_grad(g, t); })
    t.add_input_grad = [](const void* o, const Tensor& grad, Tensor& total) {
      static_cast<const O*>(o)->add_input_grad(grad, total);
    };
  if constexpr (!O::op.view)
    t.reference_kernel = [](const void* o, const KernelArgs& k) {
      reference_kernel<O>(*static_cast<const O*>(o), k);
    };
  if constexpr (O::op.has_cpu_kernel)
    t.cpu_kernel = [](const void* o, const KernelArgs& k) {
      constexpr auto kernel = [](const void* attributes, const KernelArgs& args) {
        return cpu_kernel<O>(*static_cast<const O*>(attributes), args);
      };
      if constexpr (O::op.half_in_f32)
        return kernel(o, k) || run_half_in_f32(kernel, o, k);
      else
        return kernel(o, k);
    };
  t.construct = [](void* to) { new (to) O(); };
  t.copy = [](void* to, const void* from) { new (to) O(*static_cast<const O*>(from)); };
  t.end = [](void* o) noexcept { static_cast<O*>(o)->~O(); };
  t.fields = [](void* o, AttributeVisitor f, void* c) {
    static_cast<O*>(o)->each([&](std::string_view n, auto& v) { f(c, n, attribute_ref(v)); });
  };
  if constexpr (requires(const O& o, const KernelArgs& k) { o.flops(k); })
    t.flops = [](const void* o, const KernelArgs& k) { return static_cast<const O*>(o)->flops(k); };
  return t;
}
template <class O> inline constexpr OpDescriptor descriptor_of = make_descriptor<O>();

/// Runs an op: checks, shape inference, kernel and autograd record. Entry point of all ops.
/// `outs` has `output_count` elements. If `self` is given, it is also ins[0] and the op works in
/// place.
void dispatch(const OpDescriptor& descriptor, const void* attributes, std::span<const OpInput> ins,
              Tensor* outs, const Tensor* self = nullptr);

/// Runs an op with one output: run(Add{alpha}, a, b).
template <class O, class... A> Tensor run(const O& o, const A&... inputs) {
  const OpInput ins[] = {OpInput(inputs)...};
  Tensor result;
  static_assert(make_descriptor<O>().output_count == 1, "use run_all for several outputs");
  dispatch(descriptor_of<O>, &o, ins, &result);
  return result;
}
/// Runs an op with one output on a list of tensors.
template <class O> Tensor run_list(const O& o, std::span<const Tensor> inputs) {
  std::vector<OpInput> ins(inputs.begin(), inputs.end());
  Tensor result;
  dispatch(descriptor_of<O>, &o, ins, &result);
  return result;
}
/// Runs an op and returns all its outputs.
template <class O, class... A>
std::array<Tensor, static_cast<std::size_t>(make_descriptor<O>().output_count)> run_all(
    const O& o, const A&... inputs) {
  const OpInput ins[] = {OpInput(inputs)...};
  std::array<Tensor, static_cast<std::size_t>(make_descriptor<O>().output_count)> results;
  dispatch(descriptor_of<O>, &o, ins, results.data());
  return results;
}
/// Runs an op with two outputs and returns them as a pair.
template <class O, class... A> std::pair<Tensor, Tensor> run_pair(const O& o, const A&... inputs) {
  auto [first, second] = run_all(o, inputs...);
  return {std::move(first), std::move(second)};
}
/// Runs an op in place on `self`, its first input, and returns `self`.
template <class O, class... A>
const Tensor& run_inplace(const O& o, const Tensor& self, const A&... others) {
  static_assert(O::op.inplace, "this op has no in-place form");
  const OpInput ins[] = {OpInput(self), OpInput(others)...};
  Tensor result;
  dispatch(descriptor_of<O>, &o, ins, &result, &self);
  return self;
}

/// Returns all ops of the library in alphabetical order.
std::span<const OpDescriptor* const> all_ops();
/// Returns the op `name`; null if it does not exist.
const OpDescriptor* find_op(std::string_view name);
/// Returns the name and the attributes of an op: "add(alpha=1)".
std::string print_op(const OpDescriptor& descriptor, const void* attributes);

/// Defines the descriptor of an op. Used once, in the op's source file; op_list.inc also lists
/// `name`.
#define TAPER_DEFINE_OP(name, O)              \
  extern const OpDescriptor* const op_##name; \
  const OpDescriptor* const op_##name = &descriptor_of<O>

}  // namespace taper
