// Calls an op of the library's table by the names of its inputs and attributes.
#include <memory>
#include <new>

#include "cases/outcome.h"
#include "functions/table.h"
#include "ops/op.h"

namespace taper::oracle {
namespace {

// Attributes of an op that is known by its table only.
class Attributes {
 public:
  explicit Attributes(const OpTable& table)
      : table_(table), memory_(::operator new (table.size, std::align_val_t{table.align})) {
    table.construct(memory_);
  }
  ~Attributes() {
    table_.end(memory_);
    ::operator delete (memory_, std::align_val_t{table_.align});
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  void set_all(Arguments& from) {
    table_.fields(
        memory_,
        [](void* context, std::string_view name, AttributeRef attribute) {
          auto& arguments = *static_cast<Arguments*>(context);
          if (const Value* value = arguments.next(std::string(name))) set(attribute, *value);
        },
        &from);
  }
  const void* get() const { return memory_; }

 private:
  template <class T> static void put(AttributeRef a, T value) { *static_cast<T*>(a.at) = value; }
  template <class T, class F> static void put_optional(AttributeRef a, const Value& v, F convert) {
    put<std::optional<T>>(a, v.is_none() ? std::nullopt : std::optional<T>(convert(v)));
  }
  static void set(AttributeRef a, const Value& v) {
    using Kind = AttributeRef::Kind;
    const auto integer = [](const Value& x) { return x.as_int(); };
    const auto number = [](const Value& x) { return x.as_double(); };
    const auto dtype = [](const Value& x) { return x.as_dtype(); };
    switch (a.kind) {
      case Kind::integer: return put(a, v.as_int());
      case Kind::floating: return put(a, v.as_double());
      case Kind::boolean: return put(a, v.as_bool());
      case Kind::shape: return put(a, shape_of(v));
      case Kind::scalar: return put(a, scalar_of(v));
      case Kind::text: return put(a, v.as_string());
      case Kind::dtype: return put(a, v.as_dtype());
      case Kind::optional_integer: return put_optional<std::int64_t>(a, v, integer);
      case Kind::optional_floating: return put_optional<double>(a, v, number);
      case Kind::optional_shape: return put_optional<Shape>(a, v, shape_of);
      case Kind::optional_scalar: return put_optional<Scalar>(a, v, scalar_of);
      case Kind::optional_dtype: return put_optional<DType>(a, v, dtype);
      case Kind::opaque: throw Missing("an attribute that cannot be written");
    }
  }

  const OpTable& table_;
  void* memory_;
};

// Inputs, kept alive while the op runs.
struct Inputs {
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
  std::vector<In> ins;

  Inputs(const OpInfo& op, Arguments& from) {
    tensors.reserve(64);
    scalars.reserve(64);
    std::string_view words = op.inputs;
    while (!words.empty()) {
      const auto space = words.find(' ');
      take(std::string(words.substr(0, space)), from);
      words = space == std::string_view::npos ? "" : words.substr(space + 1);
    }
  }

 private:
  void take(std::string name, Arguments& from) {
    if (name.ends_with("...")) {
      for (const Tensor& t : from.tensors(name.substr(0, name.size() - 3))) add(t);
    } else if (name.ends_with("?")) {
      add(from.optional_tensor(name.substr(0, name.size() - 1)));
    } else if (const Value* value = from.peek(name); value && !value->is_tensor()) {
      scalars.push_back(from.scalar(name));
      ins.emplace_back(scalars.back());
    } else {
      add(from.tensor(name));
    }
  }
  void add(const Tensor& t) {
    if (tensors.size() == tensors.capacity()) throw BadCase("more than 64 inputs");
    tensors.push_back(t);
    ins.emplace_back(tensors.back());
  }
};

}  // namespace

Value call_op(const std::string& op, Arguments& arguments) {
  const bool in_place = op.size() > 1 && op.ends_with("_");
  const OpTable* table = find_op(in_place ? op.substr(0, op.size() - 1) : op);
  if (!table || (in_place && !table->info.inplace)) throw Missing(arguments.callee());
  Inputs inputs(table->info, arguments);
  Attributes attributes(*table);
  attributes.set_all(arguments);
  arguments.done();
  std::vector<Tensor> outs(static_cast<std::size_t>(table->output_count));
  const Tensor self = inputs.tensors.empty() ? Tensor() : inputs.tensors.front();
  run_table(*table, attributes.get(), inputs.ins, outs.data(), in_place ? &self : nullptr);
  if (in_place) return self;
  if (outs.size() == 1) return outs[0];
  return Value::tuple(Values(outs.begin(), outs.end()));
}

}  // namespace taper::oracle
