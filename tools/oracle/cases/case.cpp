#include "cases/case.h"

#include <cmath>

#include "cases/outcome.h"
#include "taper/core/scalar.h"

namespace taper::oracle {

Case::Case(const CaseFile& file, const Json& fields)
    : file_(file), fields_(fields), id_(fields.at("id").get<std::string>()), known_fields_{"id"} {
  ignore({"note", "description"});
}

const Json& Case::at(const std::string& field) {
  const Json* value = find(field);
  if (!value) throw MalformedCase("no field '" + field + "'");
  return *value;
}

const Json* Case::find(const std::string& field) {
  known_fields_.insert(field);
  const auto found = fields_.find(field);
  return found == fields_.end() ? nullptr : &*found;
}

void Case::ignore(std::initializer_list<const char*> fields) {
  for (const char* field : fields) known_fields_.insert(field);
}

const Tensor& Case::tensor(const std::string& role) {
  const auto found = file_.tensors.find(id_ + "/" + role);
  if (found == file_.tensors.end()) throw MalformedCase("no tensor of role '" + role + "'");
  read_roles_.insert(role);
  return found->second;
}

bool Case::has_tensor(const std::string& role) const {
  return file_.tensors.contains(id_ + "/" + role);
}

void Case::expect_text(const std::string& what, const std::string& actual,
                       const std::string& expected) {
  if (actual != expected) fail(what + ": got\n" + actual + "\n  expected\n" + expected);
}

void Case::expect_close(const std::string& what, const Tensor& actual, const Tensor& expected,
                        Tolerance tolerance) {
  if (std::string text = difference(actual, expected, tolerance); !text.empty())
    fail(what + ": " + text);
}

void Case::expect_number(const std::string& what, double actual, double expected,
                         Tolerance tolerance) {
  if (!close(actual, expected, tolerance))
    fail(what + ": got " + python_repr(actual) + ", expected " + python_repr(expected));
}

void Case::finish() {
  for (const auto& [field, value] : fields_.items())
    if (field != "tensors" && !known_fields_.contains(field)) fail("unknown field '" + field + "'");
  const auto roles = fields_.find("tensors");
  if (roles == fields_.end()) return;
  for (const Json& role : *roles) {
    const auto name = role.get<std::string>();
    if (!has_tensor(name))
      fail("the tensor '" + name + "' is missing");
    else if (!read_roles_.contains(name))
      fail("the tensor '" + name + "' has an unknown role");
  }
}

}  // namespace taper::oracle
