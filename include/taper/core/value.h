// The one dynamic type: what hooks see, state dicts and checkpoints are.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "taper/core/api.h"
#include "taper/core/tensor.h"

namespace TAPER_API taper {

class Dict;
class Value;
class HeldItem;
class ValueItem;
struct Opaque;
/// A list of arguments or results.
using Values = std::vector<Value>;

/// A complex number of Python.
struct Complex {
  double real = 0, imag = 0;
  friend bool operator==(const Complex&, const Complex&) = default;
};

/// Base of the bodies that hold other values: they are destroyed one after the other, never by
/// recursion, however deep they are nested.
class ValueContainer : public RefCounted {
  void finish() noexcept final;
  ValueContainer* next_retired_ = nullptr;
};

/// What a Value of kind `module` holds. The nn layer derives from it.
class ValueObject : public RefCounted {
 public:
  virtual std::string type_name() const = 0;
  virtual std::string str() const = 0;
  virtual const void* identity() const = 0;
};

/// A value of a kind known at run time, as in Python: none, a number, text, a tensor, or a
/// container of values. Containers are shared on copy and compared by contents; tensors and modules
/// are compared by identity. Readers throw TypeError for a value of another kind.
class [[nodiscard]] Value {
 public:
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,      ///< 64 bits
    big_integer,  ///< decimal text
    floating,
    complex,
    string,
    bytes,
    tensor,
    list,
    tuple,
    set,
    dict,    ///< keeps the order of insertion; may have a class tag and attributes
    size,    ///< torch.Size
    dtype,   ///< torch.float32
    device,  ///< torch.device
    global,  ///< the name of a class or function
    module,
    opaque,  ///< an object of a class that is not known here, as data
    missing  ///< never seen from outside: a key that is not there yet
  };

  Value() noexcept : integer_(0) {}
  Value(std::nullptr_t) noexcept : Value() {}
  template <std::same_as<bool> B> Value(B v) noexcept : boolean_(v), kind_(Kind::boolean) {}
  template <std::integral I>
  requires(!std::same_as<I, bool>) Value(I v)
  noexcept : integer_(static_cast<std::int64_t>(v)), kind_(Kind::integer) {}
  template <std::floating_point F> Value(F v) noexcept
      : floating_(static_cast<double>(v)), kind_(Kind::floating) {}
  template <class T> Value(NotBool<T> v) noexcept : Value(static_cast<T>(v)) {}
  Value(const Scalar& v) noexcept;
  Value(Complex v);
  Value(std::string_view text);
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  /// An undefined tensor becomes none.
  Value(const Tensor& t) noexcept;
  Value(Tensor&& t) noexcept;
  Value(const Shape& size);
  Value(DType v) noexcept : integer_(static_cast<int>(v)), kind_(Kind::dtype) {}
  Value(Device v) noexcept;
  /// The value under a key; throws KeyError if there is none.
  Value(const ValueItem& item);
  Value(ValueItem&& item);
  Value(const Value& o) noexcept : kind_(o.kind_), flag_(o.flag_) { share(o); }
  Value(Value&& o) noexcept : kind_(o.kind_), flag_(o.flag_) { take(o); }
  Value& operator=(const Value& o) noexcept {
    Value(o).swap(*this);
    return *this;
  }
  Value& operator=(Value&& o) noexcept {
    Value(std::move(o)).swap(*this);
    return *this;
  }
  ~Value() {
    if (kind_ == Kind::tensor)
      tensor_.~Tensor();
    else if (counted(kind_))
      object_.~Ref();
  }
  void swap(Value& o) noexcept {
    Value kept(std::move(o));
    o.kind_ = kind_, o.flag_ = flag_, o.take(*this);
    kind_ = kept.kind_, flag_ = kept.flag_, take(kept);
  }

  static Value list(Values items = {});
  static Value tuple(Values items = {});
  /// Equal items once, in order. Throws TypeError for an item that cannot be hashed.
  static Value set(const Values& items = {});
  static Value dict();
  static Value dict(std::initializer_list<std::pair<Value, Value>> entries);
  /// A dict of class collections.OrderedDict, as state dicts are.
  static Value ordered_dict();
  /// An integer of any size: `-?[0-9]+`. One that fits 64 bits becomes an ordinary integer.
  static Value big_integer(std::string_view decimal);
  static Value bytes(std::string_view data);
  static Value parameter(const Tensor& t);  ///< a tensor that prints and is saved as a Parameter
  static Value global(std::string_view module, std::string_view name);
  static Value module(Ref<ValueObject> object);
  static Value opaque(Opaque object);

  Kind kind() const {
    if (kind_ == Kind::missing) throw_missing();
    return kind_;
  }
  bool is_none() const { return kind() == Kind::none; }
  bool is_bool() const { return kind() == Kind::boolean; }
  bool is_int() const { return kind() == Kind::integer; }
  bool is_float() const { return kind() == Kind::floating; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_tensor() const { return kind() == Kind::tensor; }
  bool is_parameter() const { return is_tensor() && flag_; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_tuple() const { return kind() == Kind::tuple; }
  bool is_set() const { return kind() == Kind::set; }
  bool is_dict() const { return kind() == Kind::dict; }
  bool is_module() const { return kind() == Kind::module; }

  bool as_bool() const;
  std::int64_t as_int() const;  ///< a bool counts as 0 or 1. ValueError for a big integer
  double as_double() const;     ///< integers too
  Complex as_complex() const;   ///< real numbers too
  // Parts of a temporary are returned by value where they can be copied; reading others from a
  // temporary does not compile: give the value a name first.
  const std::string& as_string() const&;  ///< also the digits of a big integer
  std::string as_string() const&& { return as_string(); }
  const std::string& as_bytes() const&;
  std::string as_bytes() const&& { return as_bytes(); }
  const Tensor& as_tensor() const&;
  Tensor as_tensor() const&&;
  const Values& as_tuple() const&;
  Values as_tuple() const&&;
  const Values& as_sequence() const&;  ///< a list, tuple or set
  Values as_sequence() const&&;
  Values& as_list() const&;
  Values& as_list() const&& = delete;  // give the value a name first
  Dict& as_dict() const&;
  Dict& as_dict() const&& = delete;  // give the value a name first
  Shape as_size() const;             ///< a size, or a list or tuple of integers
  DType as_dtype() const;
  Device as_device() const;
  std::pair<std::string_view, std::string_view> as_global() const&;  ///< module, name
  std::pair<std::string, std::string> as_global() const&&;
  ValueObject& as_module() const&;
  ValueObject& as_module() const&& = delete;  // give the value a name first
  Opaque& as_opaque() const&;
  Opaque as_opaque() const&&;

  // Containers, as in Python. They are shared, so a const handle may write.
  /// Number of items, entries or characters.
  std::size_t size() const;
  /// Returns `d["key"]` of a dict, `l[-1]` of a list, tuple or size; assigning to it writes. Throws
  /// KeyError, IndexError.
  HeldItem operator[](const Value& key) const&;
  ValueItem operator[](const Value& key) const&&;
  /// Returns the entry of a dict, or null.
  const Value* find(const Value& key) const&;
  const Value* find(const Value& key) const&& = delete;  // give the value a name first
  bool contains(const Value& key) const;                 ///< Python's `in`
  void append(Value item) const;                         ///< to a list

  /// "NoneType", "int", "OrderedDict", "Tensor": the name of Python's class.
  std::string type_name() const;
  /// "<class 'int'>": as Python prints the class.
  std::string class_text() const;
  /// As Python's repr: text is quoted. Cycles print as `[...]`.
  std::string repr() const;
  /// As Python's print: like repr, but text and a device by themselves are bare.
  std::string str() const;
  /// Hash of what equals: 1, 1.0 and True are one key. TypeError for lists, sets and dicts.
  std::size_t hash() const;
  /// Same kind and contents; numbers by value; tensors, modules and opaque objects by identity.
  friend bool operator==(const Value& a, const Value& b);

 private:
  friend class ValueItem;
  static constexpr bool counted(Kind k) {
    return k >= Kind::big_integer && k != Kind::floating && k != Kind::dtype && k != Kind::device;
  }
  Value(Kind kind, Ref<RefCounted> object) noexcept;
  // Both fill the raw union of this value, whose kind is set already.
  void share(const Value& o) noexcept {
    if (kind_ == Kind::tensor)
      new (&tensor_) Tensor(o.tensor_);
    else if (counted(kind_))
      new (&object_) Ref<RefCounted>(o.object_);
    else
      integer_ = o.integer_;
  }
  void take(Value& o) noexcept {
    if (kind_ == Kind::tensor) {
      new (&tensor_) Tensor(std::move(o.tensor_));
      o.tensor_.~Tensor();
    } else if (counted(kind_)) {
      new (&object_) Ref<RefCounted>(std::move(o.object_));
      o.object_.~Ref();
    } else {
      integer_ = o.integer_;
    }
    o.kind_ = Kind::none, o.flag_ = false, o.integer_ = 0;
  }
  template <class Body> Body& body() const { return static_cast<Body&>(*object_); }
  ValueItem item(const Value& key) const;
  [[noreturn]] void throw_missing() const;
  [[noreturn]] void throw_type(const char* expected) const;

  union {
    bool boolean_;
    std::int64_t integer_;
    double floating_;
    Device device_;
    Ref<RefCounted> object_;
    Tensor tensor_;
  };
  Kind kind_ = Kind::none;
  bool flag_ = false;
};

/// Result of `container[key]`: the value there; assigning to the temporary writes into the
/// container.
class [[nodiscard]] ValueItem : public Value {
 public:
  ValueItem(Value found, Value container, Value key) noexcept;
  ValueItem(const ValueItem&) = default;
  ValueItem(ValueItem&&) = default;
  void operator=(const ValueItem& value) && { std::move(*this) = Value(value); }
  void operator=(const Value& value) &&;

 private:
  Value container_, key_;
};

/// A ValueItem of a container that is not a temporary. The container holds what its readers refer
/// to: they return references from the temporary item, too.
class [[nodiscard]] HeldItem : public ValueItem {
 public:
  explicit HeldItem(ValueItem item) noexcept : ValueItem(std::move(item)) {}
  HeldItem(const HeldItem&) = default;
  HeldItem(HeldItem&&) = default;
  void operator=(const HeldItem& value) && { std::move(*this) = Value(value); }
  void operator=(const Value& value) && { static_cast<ValueItem&&>(*this) = value; }

  const std::string& as_string() const { return value().as_string(); }
  const std::string& as_bytes() const { return value().as_bytes(); }
  Values& as_list() const { return value().as_list(); }
  Dict& as_dict() const { return value().as_dict(); }
  std::pair<std::string_view, std::string_view> as_global() const { return value().as_global(); }
  ValueObject& as_module() const { return value().as_module(); }
  Opaque& as_opaque() const { return value().as_opaque(); }
  HeldItem operator[](const Value& key) const { return value()[key]; }
  const Value* find(const Value& key) const { return value().find(key); }

 private:
  const Value& value() const { return *this; }
};
inline HeldItem Value::operator[](const Value& key) const& { return HeldItem(item(key)); }
inline ValueItem Value::operator[](const Value& key) const&& { return item(key); }

std::ostream& operator<<(std::ostream& out, const Value& v);

}  // namespace taper

#include "taper/core/dict.h"
