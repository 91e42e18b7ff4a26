// CApiCall: conversion of an op's call to the C structures that backends read.
#pragma once
#include <vector>

#include "ops/op.h"
#include "taper/backend/c_api.h"

namespace taper::backend {

/// The C form of one call. References the op's attributes and the kernel's views.
class CApiCall {
 public:
  CApiCall(const OpDescriptor& descriptor, const void* attributes, const KernelArgs& args);
  const taper_call& get() const { return call_; }

 private:
  std::vector<taper_attribute> attributes_;
  std::vector<taper_view> views_;
  taper_call call_{};
};

}  // namespace taper::backend
