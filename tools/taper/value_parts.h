// Values of a checkpoint taken apart.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "taper/core/dict.h"
#include "taper/core/value.h"
#include "taper/io/pickled_module.h"

namespace taper::cli {

bool is_sequence(const taper::Value& v);
/// A number, a text, None, a dtype, ...: nothing that holds other values, and no tensor.
bool is_plain(const taper::Value& v);
/// Whether the items are worth a line each.
bool is_walked(const taper::Value& v);

/// A key of a dict as a part of a name.
std::string key_text(const taper::Value& key);
/// "torch.nn.modules.linear.Linear"; of what is no name of a class or function its type.
std::string name_of(const taper::Value& global);

/// The parts of an opaque object, each by a name of its own.
std::vector<std::pair<std::string, taper::Value>> parts_of(const taper::Opaque& o);
/// Parameters, buffers and children, and those attributes that are worth a look.
std::vector<std::pair<std::string, taper::Value>> parts_of(const taper::PickledModule& m);
/// "in_features=3, out_features=4": attributes that are plain values.
std::string arguments_of(const taper::PickledModule& m);

}  // namespace taper::cli
