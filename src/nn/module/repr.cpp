// Printed form of modules, as in Python.
#include <ostream>

#include "nn/module/extra.h"
#include "nn/module/indent.h"

namespace taper::nn {

std::string indent_continuation_lines(const std::string& text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

namespace {

struct ChildReprCollector final : MemberVisitor {
  std::vector<std::string> reprs;
  void child(const ChildSlot& s) override {
    const std::string text = s.module ? s.module->str() : "None";
    reprs.push_back("(" + std::string(s.name) + "): " + indent_continuation_lines(text));
  }
};

}  // namespace

std::string Module::str() const {
  const RecursionGuard guard(*this, "str");
  ChildReprCollector children;
  detail::mutable_of(*this).accept(children);
  const std::string extra = extra_repr();
  std::string out = std::string(type_name()) + "(";
  if (children.reprs.empty() && extra.find('\n') == std::string::npos) return out + extra + ")";
  if (!extra.empty()) out += "\n  " + indent_continuation_lines(extra);
  for (const std::string& line : children.reprs) out += "\n  " + line;
  return out + "\n)";
}

std::ostream& operator<<(std::ostream& out, const Module& module) { return out << module.str(); }
std::ostream& operator<<(std::ostream& out, const Module* module) {
  return module ? out << *module : out << "None";
}
std::ostream& operator<<(std::ostream& out, const NamedModule& entry) {
  return out << ConstNamedModule{entry.name, entry.module};
}
std::ostream& operator<<(std::ostream& out, const ConstNamedModule& entry) {
  return out << '(' << Value(entry.name).repr() << ", " << entry.module << ')';
}

}  // namespace taper::nn
