// Values of the cases of the training kit.
#pragma once
#include <optional>
#include <vector>

#include "cases/case.h"
#include "taper/core/generator.h"
#include "taper/core/value.h"

namespace taper::oracle {

/// Reads an argument whose type C++ checks at compile time. Throws TypeError if the value has
/// another one.
bool read_bool(const Json& value);
std::int64_t read_integer(const Json& value);
/// Reads a number, or `{"float": "nan"}`, "inf" and "-inf".
double read_number(const Json& value);

/// Compares a list of integers with the expected one, which may be `{"long": {...}}`.
void expect_indices(Case& c, const std::string& what, const std::vector<std::int64_t>& actual,
                    const Json& expected);

/// Returns the tensor of `{"t": role}`, or of `{"t": role, "of": id}`, a tensor of another case.
const Tensor& read_tensor(Case& c, const Json& reference);
/// Compares a tensor with the expected one, `{"t": role}`, with the tolerance of the reference or
/// of the case. `outliers` is the number of elements that may differ by more, `equal` the share of
/// elements that must be equal.
void expect_tensor(Case& c, const std::string& what, const Tensor& actual, const Json& reference);
/// Compares a result, such as a list of tensors, with the expected one. Floating-point numbers have
/// the tolerance of the case.
void expect_result(Case& c, const std::string& what, const Value& actual, const Json& expected);

/// Reads data: numbers, texts, bytes, tensors and containers; records become dicts.
Value read_data(Case& c, const Json& value);
/// Compares data with the expected value.
void expect_data(Case& c, const std::string& what, const Value& actual, const Json& expected);

/// Runs `f`, which must throw an error with a text. Fields of the case that describe Python's error
/// are not compared.
void expect_error(Case& c, const SharedFunction<void()>& f);

/// Random number generators of a case.
class Generators {
 public:
  explicit Generators(Case& c);
  /// Returns the generator with this name; none if `name` is null.
  std::optional<Generator> find(const Json* name) const;
  /// Compares the next numbers of the default generator and of those of the case, if `expected`
  /// contains them.
  void expect_next(const Json& expected);

 private:
  Case& case_;
  std::map<std::string, Generator> generators_;
};

/// Runs a case of kind `data`, whose tensors are read by other cases.
void run_data(Case& c, Generators& generators);

/// Functions that run the cases of each kind of a family.
using KitKinds = std::map<std::string, void (*)(Case& c, Generators& generators)>;
/// Sets the tolerance of the case, seeds the default generator and runs the function of the kind of
/// the case. Throws MalformedCase for an unknown kind.
void run_kind(Case& c, const KitKinds& kinds);

}  // namespace taper::oracle
