// How an op is declared. One struct holds its attributes, a literal OpInfo, `infer` and `backward`;
// everything else the library needs of an op is derived from that: dispatch, the autograd node,
// call by name, printing, checks, the table in the docs.
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
#include <vector>

#include "autograd/node.h"
#include "core/check.h"
#include "core/tensor_impl.h"

namespace taper {

enum class Promote : std::uint8_t {
  none,        ///< dtypes are the op's own business
  arithmetic,  ///< computes in the promoted dtype
  floating,    ///< the same, integers become the default float dtype
  comparison   ///< computes in the promoted dtype, gives bool
};
enum class Autocast : std::uint8_t { keep, lower, f32, widest };
enum class Layout : std::uint8_t {
  plain,         ///< outputs in row-major order
  follow,        ///< channels-last if an input of the output's shape is
  channels_last  ///< always channels-last ([N, C, ...] outputs)
};
constexpr unsigned in(int i) { return 1u << i; }
constexpr unsigned out(int i) { return 1u << (16 + i); }

/// A plain literal: every field has a default, so a new field touches no op.
struct OpInfo {
  std::string_view name;                ///< "max_pool2d": PyTorch's name
  std::string_view node{};              ///< "MaxPool2DWithIndicesBackward0"; empty: no gradient
  std::string_view inputs{};            ///< "input weight bias?"; "tensors..." is any number
  std::string_view outputs = "output";  ///< one word each
  unsigned saved = 0;  ///< saved for backward, which can read nothing else: in(i) | out(i)
  Promote promote = Promote::none;
  Autocast autocast = Autocast::keep;
  Layout layout = Layout::plain;
  bool broadcast = false;  ///< inputs broadcast against each other
  bool inplace = false;    ///< has a form that overwrites input 0
  bool random = false;     ///< draws from a generator
  bool view = false;       ///< gives another view of input 0: no kernel runs
  bool cpu = false;        ///< has a CPU kernel beside the reference kernel
};

/// An input: a tensor, or a plain number of an expression.
struct In {
  const Tensor* tensor = nullptr;
  const Scalar* scalar = nullptr;
  In() = default;
  In(const Tensor& t) : tensor(&t) {}
  In(const Scalar& s) : scalar(&s) {}
  bool given() const { return scalar || (tensor && tensor->defined()); }
  TensorImpl* impl() const { return tensor ? tensor->impl() : nullptr; }
};

inline constexpr int kMostOutputs = 6;
struct OutMeta {
  Shape shape, strides;  ///< strides and offset: of views
  std::int64_t offset = 0;
  DType dtype = DType::f32;
  bool absent = false;         ///< the caller does not want this output: no tensor is made
  bool channels_last = false;  ///< laid out so although no input has this shape (cat)
};

/// Checks the inputs and says what comes out.
struct Infer {
  const OpInfo& op;
  std::span<const In> ins;
  DType common = DType::f32;         ///< the promoted dtype (of the first tensor without promotion)
  const Shape* broadcast = nullptr;  ///< the common shape, where inputs broadcast
  OutMeta* outs = nullptr;
  int given = 0;

  bool has(int i) const { return i < static_cast<int>(ins.size()) && ins[pos(i)].given(); }
  const TensorImpl& tensor(int i) const { return *ins[pos(i)].impl(); }
  const Shape& shape(int i) const {
    const TensorImpl* t = ins[pos(i)].impl();
    return t ? t->shape : scalar_shape();
  }
  DType dtype(int i) const {
    const In& in = ins[pos(i)];
    return in.scalar ? in.scalar->dtype() : in.impl()->dtype;
  }
  std::size_t rank(int i) const { return shape(i).size(); }
  /// The dtype of the result under the op's promotion (bool for comparisons).
  DType result() const { return op.promote == Promote::comparison ? DType::bool_ : common; }
  void give(const Shape& shape, DType dtype) {
    outs[given].shape = shape;
    outs[given++].dtype = dtype;
  }
  /// An output that is made only on demand: its view has no shape, the tensor stays undefined.
  void give_if(bool wanted, const Shape& shape, DType dtype) {
    outs[given].absent = !wanted;
    give(shape, dtype);
  }
  /// What element-by-element ops give: the broadcast shape in the promoted dtype.
  void give_pointwise() { give(broadcast ? *broadcast : shape(0), result()); }
  void give_view(Shape shape, Shape strides, std::int64_t offset) {
    outs[given++] = {std::move(shape), std::move(strides), offset, dtype(0)};
  }
  /// Throws E("<op>: <text>").
  template <class E = ShapeError, class... A>
  [[noreturn]] void fail(fmt::format_string<Said<A>...> form, const A&... args) const {
    throw_text<E>(std::string(op.name) + ": " + text(form, args...));
  }

 private:
  static const Shape& scalar_shape();
  static std::size_t pos(int i) { return static_cast<std::size_t>(i); }
};

class OpNode;
/// Arguments and results of a gradient rule, without the saved tensors: for code that several ops
/// share. A rule is written in terms of public ops, which makes it differentiable itself. The
/// engine sums a gradient over dimensions that were broadcast and converts it to its input's dtype.
class BackwardContextBase {
 public:
  BackwardContextBase(std::span<Tensor> grads, std::span<Tensor> results, OpNode& node)
      : grads_(grads), results_(results), node_(node) {}
  BackwardContextBase(const BackwardContextBase&) = delete;
  BackwardContextBase& operator=(const BackwardContextBase&) = delete;

  bool needs_input_grad(int i) const;
  /// Returns the gradient of output i: zeros if none arrived.
  const Tensor& grad(int i = 0);
  bool has_grad(int i) const { return grads_[static_cast<std::size_t>(i)].defined(); }
  const Meta& in_meta(int i) const;
  const Meta& out_meta(int i) const;
  int in_count() const;
  /// The gradient of input i, to be assigned.
  Tensor& operator[](int i) { return results_[static_cast<std::size_t>(i)]; }

 protected:
  const Tensor& saved_input(int i);
  const Tensor& saved_output(int i);

 private:
  std::span<Tensor> grads_, results_;
  OpNode& node_;
  std::forward_list<Tensor> unpacked_{};  ///< saved tensors with their history
};

/// The context of the gradient rule of op O, which reads what `O::op.saved` lists.
template <class O> class BackwardContext : public BackwardContextBase {
 public:
  using BackwardContextBase::BackwardContextBase;

  /// Returns saved input I: undefined if it was absent.
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

/// What a kernel gets: raw views with physical strides. Kernels know no autograd.
struct KernelArgs {
  std::span<const View> in, out;
  DType compute = DType::f32;  ///< the promoted dtype
  bool has(int i) const {
    return static_cast<std::size_t>(i) < in.size() && in[static_cast<std::size_t>(i)].shape;
  }
};

/// A reference to one attribute, for code that knows no op: printing, call by name, plugs.
struct AttributeRef {
  enum class Kind : std::uint8_t {
    integer,
    floating,
    boolean,
    shape,
    scalar,
    text,
    dtype,
    optional_integer,
    optional_floating,
    optional_shape,
    optional_scalar,
    optional_dtype,
    opaque
  };
  Kind kind;
  void* at;
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
  return {AttributeRef::Kind::opaque, &other};  // e.g. a generator: never named from outside
}
std::string attribute_text(AttributeRef a);

/// The attributes' names, stated once.
#define TAPER_ATTRIBUTES(...)                                        \
  template <class F> void each(F&& f) {                              \
    ::taper::each_field(f, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
  }
inline std::string_view field_name(const char*& s) {
  while (*s == ' ' || *s == ',') ++s;
  const char* b = s;
  while (*s && *s != ',') ++s;
  return {b, static_cast<std::size_t>(s - b)};
}
template <class F, class... T>
void each_field(F& f, [[maybe_unused]] const char* names, T&... values) {
  (f(field_name(names), values), ...);
}
using AttributeVisitor = void (*)(void* context, std::string_view name, AttributeRef value);

/// What the engine needs of an op without knowing its type.
struct OpTable {
  OpInfo info;
  int output_count;
  std::size_t size, align;
  void (*infer)(const void*, Infer&);
  /// Null: no gradient.
  void (*backward)(const void*, std::span<Tensor> grads, std::span<Tensor> results, OpNode&);
  void (*reference)(const void*, const KernelArgs&);
  bool (*cpu)(const void*, const KernelArgs&);  ///< false: cannot do this one, take the reference
  void (*construct)(void* to);                  ///< default attributes
  void (*copy)(void* to, const void* from);
  void (*end)(void*) noexcept;
  void (*fields)(void*, AttributeVisitor, void* context);
  double (*flops)(const void*, const KernelArgs&);  ///< null: one per output element
};

/// Every op defines its reference kernel: leaving it out is a link error.
template <class O> void reference(const O&, const KernelArgs&);
/// Ops with `.cpu = true` define their CPU kernel; false hands the call to the reference kernel.
template <class O> bool cpu(const O&, const KernelArgs&);

constexpr int count_words(std::string_view s) {
  int n = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    n += s[i] != ' ' && (i + 1 == s.size() || s[i + 1] == ' ');
  return n;
}
/// The inputs and outputs that an op can save: of a list of tensors, none.
constexpr unsigned savable(const OpInfo& op) {
  const int inputs = count_words(op.inputs) - op.inputs.ends_with("...");
  return (in(inputs)-in(0)) | (out(count_words(op.outputs)) - out(0));
}
template <class O> constexpr OpTable make_table() {
  OpTable t{};
  t.info = O::op;
  t.output_count = count_words(O::op.outputs);
  t.size = sizeof(O), t.align = alignof(O);
  t.infer = [](const void* o, Infer& i) { static_cast<const O*>(o)->infer(i); };
  constexpr bool has_rule = requires(const O& o, BackwardContext<O>& b) { o.backward(b); };
  static_assert(has_rule == !O::op.node.empty(),
                "an op has both a node and `backward(BackwardContext<O>&) const`, or neither");
  static_assert((O::op.saved & ~savable(O::op)) == 0,
                "OpInfo::saved lists an input or output that the op does not declare");
  if constexpr (has_rule)
    t.backward = [](const void* o, std::span<Tensor> grads, std::span<Tensor> results, OpNode& n) {
      BackwardContext<O> b(grads, results, n);
      static_cast<const O*>(o)->backward(b);
    };
  if constexpr (!O::op.view)
    t.reference = [](const void* o, const KernelArgs& k) {
      reference<O>(*static_cast<const O*>(o), k);
    };
  if constexpr (O::op.cpu)
    t.cpu = [](const void* o, const KernelArgs& k) { return cpu<O>(*static_cast<const O*>(o), k); };
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
template <class O> inline constexpr OpTable table_of = make_table<O>();

/// The single gate: every op of every kind passes here. `outs` has room for output_count tensors.
/// With `self` (which is also ins[0]) the op works in place.
void run_table(const OpTable& table, const void* attributes, std::span<const In> ins, Tensor* outs,
               const Tensor* self = nullptr);

/// run(Add{alpha}, a, b): one output.
template <class O, class... A> Tensor run(const O& o, const A&... inputs) {
  const In ins[] = {In(inputs)...};
  Tensor result;
  static_assert(make_table<O>().output_count == 1, "use run_all for several outputs");
  run_table(table_of<O>, &o, ins, &result);
  return result;
}
template <class O> Tensor run_list(const O& o, std::span<const Tensor> inputs) {
  std::vector<In> ins(inputs.begin(), inputs.end());
  Tensor result;
  run_table(table_of<O>, &o, ins, &result);
  return result;
}
template <class O, class... A>
std::array<Tensor, static_cast<std::size_t>(make_table<O>().output_count)> run_all(
    const O& o, const A&... inputs) {
  const In ins[] = {In(inputs)...};
  std::array<Tensor, static_cast<std::size_t>(make_table<O>().output_count)> results;
  run_table(table_of<O>, &o, ins, results.data());
  return results;
}
template <class O, class... A>
const Tensor& run_inplace(const O& o, const Tensor& self, const A&... others) {
  static_assert(O::op.inplace, "this op has no in-place form");
  const In ins[] = {In(self), In(others)...};
  Tensor result;
  run_table(table_of<O>, &o, ins, &result, &self);
  return self;
}

/// All ops of the library, in alphabetical order.
std::span<const OpTable* const> all_ops();
const OpTable* find_op(std::string_view name);
std::string print_op(const OpTable& table, const void* attributes);

/// Appears once in an op's source file; `name` is also listed in op_list.inc.
#define TAPER_DEFINE_OP(name, O)         \
  extern const OpTable* const op_##name; \
  const OpTable* const op_##name = &table_of<O>

}  // namespace taper
