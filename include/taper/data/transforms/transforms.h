// Transforms of images. PyTorch: torchvision.transforms.v2.
#pragma once
#include "taper/data/transforms/auto_augment.h"
#include "taper/data/transforms/color.h"
#include "taper/data/transforms/container.h"
#include "taper/data/transforms/functional.h"
#include "taper/data/transforms/geometry.h"
#include "taper/data/transforms/misc.h"
#include "taper/data/transforms/mix.h"
#include "taper/data/transforms/warp.h"
