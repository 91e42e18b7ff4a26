// Includes all headers of taper/dist.
#pragma once
#include "taper/dist/collectives.h"
#include "taper/dist/device_mesh.h"
#include "taper/dist/distributed_data_parallel.h"
#include "taper/dist/fully_shard.h"
#include "taper/dist/functional.h"
#include "taper/dist/init.h"
#include "taper/dist/metrics.h"
#include "taper/dist/objects.h"
#include "taper/dist/point_to_point.h"
#include "taper/dist/process_group.h"
#include "taper/dist/work.h"
#include "taper/dist/zero_redundancy_optimizer.h"
