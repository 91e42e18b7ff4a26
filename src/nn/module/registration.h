// Helpers shared by registration and attributes.
#pragma once
#include "nn/module/extra.h"

namespace taper::nn {

/// Appends a dynamic entry without a value. The members are checked again in the next call.
DynamicEntry& append_entry(Module& m, DynamicEntry::Kind kind, std::string_view name);
/// Removes a dynamic entry or plain attribute. Returns false if it does not exist.
bool erase_entry(Module& m, std::string_view name);

/// Performs the checks of register_parameter except whether the name is free.
void check_registrable(std::string_view name, const Parameter& p);
/// Runs the registration hooks, then assigns a module (or None) to the child `name`, or registers a
/// new child. The name is not checked.
void set_or_add_child(Module& m, std::string_view name, std::shared_ptr<Module> module);

// Run the global registration hooks in order. Each hook may replace the item.
void run_registration_hooks(Module& m, std::string_view name, Parameter& parameter);
void run_registration_hooks(Module& m, std::string_view name, Tensor& buffer);
void run_registration_hooks(Module& m, std::string_view name, std::shared_ptr<Module>& module);

}  // namespace taper::nn
