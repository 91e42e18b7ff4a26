// Datasets, samplers, data loaders and readers of data files. PyTorch: torch.utils.data.
#pragma once
#include "taper/data/combine.h"
#include "taper/data/data_loader.h"
#include "taper/data/idx.h"
#include "taper/data/random_split.h"
#include "taper/data/sampler.h"
