#include "nn/container/children.h"
#include "taper/core/error.h"
#include "taper/nn/container.h"

namespace taper::nn {
namespace {

std::shared_ptr<Module> at(const ModuleRow& row, std::int64_t i) {
  const auto n = static_cast<std::int64_t>(row.size());
  if (i < -n || i >= n) throw IndexError("index " + std::to_string(i) + " is out of range");
  std::int64_t left = i < 0 ? i + n : i;
  for (const auto& child : Children(row))
    if (left-- == 0) return child;
  return nullptr;
}

}  // namespace

std::size_t ModuleRow::size() const {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& child : Children(*this)) ++n;
  return n;
}

Module& ModuleRow::operator[](std::int64_t i) {
  const std::shared_ptr<Module> child = at(*this, i);
  if (!child)
    throw TypeError(std::string(type_name()) + ": child " + std::to_string(i) + " is None");
  return *child;
}

std::shared_ptr<Module> ModuleRow::shared(std::int64_t i) const { return at(*this, i); }

void ModuleRow::append_shared(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), std::move(module));
}

}  // namespace taper::nn
