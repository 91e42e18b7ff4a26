// Pooling layers.
#pragma once
#include "taper/nn/adaptive_pooling.h"
#include "taper/nn/avg_pooling.h"
#include "taper/nn/max_pooling.h"
#include "taper/nn/other_pooling.h"
