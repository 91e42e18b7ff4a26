// Constructors of layers by name.
#pragma once
#include <map>
#include <string>

#include "layers/build.h"

namespace taper::oracle {

/// Reads the arguments in the order of PyTorch's signature.
using MakeLayer = Built (*)(Arguments&);
using LayerTable = std::map<std::string, MakeLayer>;

void add_activations(LayerTable& table);
void add_convolutions(LayerTable& table);
void add_dropouts(LayerTable& table);
void add_linears(LayerTable& table);
void add_losses(LayerTable& table);
void add_norms(LayerTable& table);
void add_pools(LayerTable& table);
void add_recurrent(LayerTable& table);
void add_softmaxes(LayerTable& table);

}  // namespace taper::oracle
