// What registration and attributes share.
#pragma once
#include "nn/module/extra.h"

namespace taper::nn {

NamedEntry& append_entry(Module& m, NamedEntry::Kind kind, std::string_view name);
/// Takes a name of run time away. False if there is none of that name.
bool erase_entry(Module& m, std::string_view name);

/// The checks of register_parameter, other than that the name is free.
void check_registrable(std::string_view name, const Parameter& p);
/// Runs the hooks of registration, then puts a module (or None) where the name's child is, or under
/// a new name. The name is not checked.
void put_child(Module& m, std::string_view name, std::shared_ptr<Module> module);

// The hooks of every module's registration, in order; each may replace the item.
void run_registration_hooks(Module& m, std::string_view name, Parameter& parameter);
void run_registration_hooks(Module& m, std::string_view name, Tensor& buffer);
void run_registration_hooks(Module& m, std::string_view name, std::shared_ptr<Module>& module);

}  // namespace taper::nn
