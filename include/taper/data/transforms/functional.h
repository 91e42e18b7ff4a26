// Functions that transform images. PyTorch: torchvision.transforms.v2.functional.
#pragma once
#include "taper/data/transforms/functional/color.h"
#include "taper/data/transforms/functional/geometry.h"
#include "taper/data/transforms/functional/misc.h"
#include "taper/data/transforms/functional/warp.h"
