// Value: dynamically typed value, used by hooks, state dicts and checkpoints.
#pragma once
#include <concepts>
#include <cstdint>
#include <cstring>
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
class ValueItemProxy;
struct Opaque;
/// List of arguments or results.
using Values = std::vector<Value>;

/// Python's complex number.
struct Complex {
  double real = 0, imag = 0;
  friend bool operator==(const Complex&, const Complex&) = default;
};

/// Base of the payloads that hold other values. They are destroyed iteratively, so that deep
/// nesting does not exhaust the stack.
class ValueContainer : public RefCounted {
  void finish() noexcept final;
  ValueContainer* next_pending_ = nullptr;
};

/// Base of the objects that a Value of kind `module` holds. The nn layer derives from it.
class ValueObject : public RefCounted {
 public:
  /// Returns the class name of the object.
  virtual std::string type_name() const = 0;
  /// Returns the printed form of the object.
  virtual std::string str() const = 0;
  /// Returns the address by which objects are compared.
  virtual const void* identity() const = 0;
};

/// Dynamically typed value, as in Python: None, a number, a string, a tensor, or a container of
/// values. Copies of a container share its contents. Containers are compared by contents, tensors
/// and modules by identity. Accessors throw TypeError if the value is of another kind.
class [[nodiscard]] Value {
 public:
  enum class Kind : std::uint8_t {
    none,
    boolean,
    integer,      ///< 64 bits
    big_integer,  ///< decimal string
    floating,
    complex,
    string,
    bytes,
    tensor,
    list,
    tuple,  ///< may have a class name and names of its items
    set,
    dict,    ///< preserves insertion order; may have a class name and attributes
    size,    ///< torch.Size
    dtype,   ///< torch.float32
    device,  ///< torch.device
    global,  ///< name of a class or function
    module,
    opaque,  ///< object of an unknown class, stored as data
    missing  ///< internal: a key that does not exist
  };

  /// Creates None.
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
  /// Creates None for an undefined tensor.
  Value(const Tensor& t) noexcept;
  Value(Tensor&& t) noexcept;
  Value(const Shape& size);
  Value(DType v) noexcept : integer_(static_cast<int>(v)), kind_(Kind::dtype) {}
  Value(Device v) noexcept;
  /// Copies the value of an item. Throws KeyError if the key does not exist.
  Value(const ValueItemProxy& item);
  Value(ValueItemProxy&& item);
  Value(const Value& o) noexcept : kind_(o.kind_), is_parameter_(o.is_parameter_) { share(o); }
  Value(Value&& o) noexcept : kind_(o.kind_), is_parameter_(o.is_parameter_) { move_from(o); }
  Value& operator=(const Value& o) noexcept {
    Value(o).swap(*this);
    return *this;
  }
  Value& operator=(Value&& o) noexcept {
    Value moved(std::move(o));
    moved.swap(*this);
    return *this;
  }
  ~Value() {
    if (kind_ == Kind::tensor)
      tensor_.~Tensor();
    else if (is_ref_counted(kind_))
      object_.~Ref();
  }
  void swap(Value& o) noexcept {
    Value temporary(std::move(o));
    o.kind_ = kind_, o.is_parameter_ = is_parameter_, o.move_from(*this);
    kind_ = temporary.kind_, is_parameter_ = temporary.is_parameter_, move_from(temporary);
  }

  // Named constructors.
  static Value list(Values items = {});
  static Value tuple(Values items = {});
  /// Returns a tuple with the name of a class and of each item. It equals the tuple of its items
  /// and is saved to files as that. Throws ValueError if two items have the same name.
  ///
  ///     const Value p = Value::named_tuple("Point", {{"x", 1}, {"y", 2}});
  ///     p["x"], p[1];  // prints as Point(x=1, y=2)
  ///
  /// PyTorch: collections.namedtuple.
  static Value named_tuple(std::string_view class_name,
                           std::vector<std::pair<std::string, Value>> items);
  /// Returns a set: equal items are stored once, in order. Throws TypeError if an item is not
  /// hashable.
  static Value set(const Values& items = {});
  static Value dict();
  static Value dict(std::initializer_list<std::pair<Value, Value>> entries);
  /// Returns a dict of class collections.OrderedDict, the class of state dicts.
  static Value ordered_dict();
  /// Returns an integer of any size from a string `-?[0-9]+`. An integer of at most 64 bits becomes
  /// an ordinary integer.
  static Value big_integer(std::string_view decimal);
  static Value bytes(std::string_view data);
  static Value parameter(const Tensor& t);  ///< tensor that is printed and saved as a Parameter
  static Value global(std::string_view module, std::string_view name);
  static Value module(Ref<ValueObject> object);
  static Value opaque(Opaque object);

  /// Returns the kind of the value. Throws KeyError for an item whose key does not exist.
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
  bool is_parameter() const { return is_tensor() && is_parameter_; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_tuple() const { return kind() == Kind::tuple; }
  bool is_set() const { return kind() == Kind::set; }
  bool is_dict() const { return kind() == Kind::dict; }
  bool is_module() const { return kind() == Kind::module; }

  // Accessors. Throw TypeError if the value is of another kind.
  bool as_bool() const;
  std::int64_t as_int() const;  ///< also of a bool; throws ValueError for a big integer
  double as_double() const;     ///< also of an integer
  Complex as_complex() const;   ///< also of a real number
  // Parts of a temporary are returned by value if they can be copied. Other accessors do not
  // compile for a temporary: assign the value to a variable first.
  const std::string& as_string() const&;  ///< also the digits of a big integer
  std::string as_string() const&& { return as_string(); }
  const std::string& as_bytes() const&;
  std::string as_bytes() const&& { return as_bytes(); }
  const Tensor& as_tensor() const&;
  Tensor as_tensor() const&&;
  const Values& as_tuple() const&;
  Values as_tuple() const&&;
  const Values& as_sequence() const&;  ///< items of a list, tuple or set
  Values as_sequence() const&&;
  Values& as_list() const&;
  Values& as_list() const&& = delete;  // assign the value to a variable first
  Dict& as_dict() const&;
  Dict& as_dict() const&& = delete;  // assign the value to a variable first
  Shape as_size() const;             ///< also of a list or tuple of integers
  DType as_dtype() const;
  Device as_device() const;
  std::pair<std::string_view, std::string_view> as_global() const&;  ///< module, name
  std::pair<std::string, std::string> as_global() const&&;
  ValueObject& as_module() const&;
  ValueObject& as_module() const&& = delete;  // assign the value to a variable first
  Opaque& as_opaque() const&;
  Opaque as_opaque() const&&;

  // Container operations, as in Python. Contents are shared, so a const handle permits writing.
  /// Returns the number of items, entries or characters.
  std::size_t size() const;
  /// Returns the item `d["key"]` of a dict or named tuple, or `l[-1]` of a list, tuple or size.
  /// Assigning to it writes to the container. Throws KeyError or IndexError if the item does not
  /// exist.
  HeldItem operator[](const Value& key) const&;
  ValueItemProxy operator[](const Value& key) const&&;
  /// Returns the value of a key of a dict; null if it does not exist.
  const Value* find(const Value& key) const&;
  const Value* find(const Value& key) const&& = delete;  // assign the value to a variable first
  bool contains(const Value& key) const;                 ///< Python's `in`
  void append(Value item) const;                         ///< appends to a list
  /// Returns the names of the items of a named tuple; an empty list for other values.
  const std::vector<std::string>& item_names() const&;
  std::vector<std::string> item_names() const&& { return item_names(); }
  /// Returns a list, tuple or set with other items, of the same class and with the same names.
  /// Throws ValueError if a named tuple has another number of items, TypeError for other values.
  Value with_items(Values items) const;

  /// Returns the name of the Python class: "NoneType", "int", "OrderedDict", "Tensor".
  std::string type_name() const;
  /// Returns the printed form of the Python class: "<class 'int'>".
  std::string class_text() const;
  /// Returns Python's repr, in which strings are quoted. Cycles print as `[...]`.
  std::string repr() const;
  /// Returns Python's str, which differs from repr for strings and devices.
  std::string str() const;
  /// Returns a hash that is equal for equal values, such as 1, 1.0 and True. Throws TypeError for
  /// lists, sets and dicts.
  std::size_t hash() const;
  /// Returns true if the values are equal as in Python: numbers are compared by value, tensors,
  /// modules and opaque objects by identity, all others by kind and contents.
  friend bool operator==(const Value& a, const Value& b) { return a.equals(b); }

 private:
  friend class ValueItemProxy;
  static constexpr bool is_ref_counted(Kind k) {
    return k >= Kind::big_integer && k != Kind::floating && k != Kind::dtype && k != Kind::device;
  }
  Value(Kind kind, Ref<RefCounted> object) noexcept;
  bool equals(const Value& other) const;
  // Initialize the union of this value, whose kind is already set.
  void share(const Value& o) noexcept {
    if (kind_ == Kind::tensor)
      new (&tensor_) Tensor(o.tensor_);
    else if (is_ref_counted(kind_))
      new (&object_) Ref<RefCounted>(o.object_);
    else
      integer_ = o.integer_;
  }
  void move_from(Value& o) noexcept {
    // Each member is at most a pointer, which moves without counting and leaves nothing to destroy.
    static_assert(sizeof(Tensor) == sizeof(integer_) && sizeof(object_) == sizeof(integer_));
    std::memcpy(&integer_, &o.integer_, sizeof integer_);
    o.kind_ = Kind::none, o.is_parameter_ = false, o.integer_ = 0;
  }
  template <class Payload> Payload& body() const { return static_cast<Payload&>(*object_); }
  ValueItemProxy item(const Value& key) const;
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
  bool is_parameter_ = false;
};

/// Result of `container[key]`: the value of the item. Assigning to the temporary writes to the
/// container.
class [[nodiscard]] ValueItemProxy : public Value {
 public:
  ValueItemProxy(Value found, Value container, Value key) noexcept;
  ValueItemProxy(const ValueItemProxy&) = default;
  ValueItemProxy(ValueItemProxy&&) = default;
  void operator=(const ValueItemProxy& value) && { std::move(*this) = Value(value); }
  void operator=(const Value& value) &&;

 private:
  Value container_, key_;
};

/// ValueItemProxy of a container that is not a temporary. Because the container outlives the item,
/// accessors return references even for a temporary item.
class [[nodiscard]] HeldItem : public ValueItemProxy {
 public:
  explicit HeldItem(ValueItemProxy item) noexcept : ValueItemProxy(std::move(item)) {}
  HeldItem(const HeldItem&) = default;
  HeldItem(HeldItem&&) = default;
  void operator=(const HeldItem& value) && { std::move(*this) = Value(value); }
  void operator=(const Value& value) && { static_cast<ValueItemProxy&&>(*this) = value; }

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
inline ValueItemProxy Value::operator[](const Value& key) const&& { return item(key); }

/// Writes `v.str()`.
std::ostream& operator<<(std::ostream& out, const Value& v);

}  // namespace taper

#include "taper/core/dict.h"
