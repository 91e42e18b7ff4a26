// Case: a running case with its fields, tensors and failures.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cases/case_file.h"
#include "cases/compare.h"

namespace taper::oracle {

class Case {
 public:
  Case(const CaseFile& file, const Json& fields);

  const CaseFile& file() const { return file_; }
  const std::string& id() const { return id_; }
  /// `at` returns a required field, `find` an optional one (null if absent), `text` a required
  /// string. Reading a field marks it as known.
  const Json& at(const std::string& field);
  const Json* find(const std::string& field);
  std::string text(const std::string& field) { return at(field).get<std::string>(); }
  std::int64_t integer(const std::string& field) { return at(field).get<std::int64_t>(); }
  /// Marks fields as known that are informative or not needed.
  void ignore(std::initializer_list<const char*> fields);

  /// Returns the stored tensor of a role. It is not copied.
  const Tensor& tensor(const std::string& role);
  bool has_tensor(const std::string& role) const;

  Tolerance tolerance;  ///< tolerance of the case; parts may have their own

  /// Records a failure and continues.
  void fail(const std::string& text) { failures_.push_back(text); }
  void expect_text(const std::string& what, const std::string& actual, const std::string& expected);
  void expect_close(const std::string& what, const Tensor& actual, const Tensor& expected) {
    expect_close(what, actual, expected, tolerance);
  }
  void expect_close(const std::string& what, const Tensor& actual, const Tensor& expected,
                    Tolerance tolerance);
  void expect_number(const std::string& what, double actual, double expected, Tolerance tolerance);

  /// Records a failure for each field that was not read, and for each role listed in `tensors` that
  /// is missing or was not read.
  void finish();
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  const CaseFile& file_;
  const Json& fields_;
  std::string id_;
  std::set<std::string> known_fields_, read_roles_;
  std::vector<std::string> failures_;
};

}  // namespace taper::oracle
