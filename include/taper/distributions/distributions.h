// Probability distributions, transforms of variables and Kullback-Leibler divergences.
// PyTorch: torch.distributions.
#pragma once
#include "taper/distributions/bernoulli.h"
#include "taper/distributions/beta.h"
#include "taper/distributions/categorical.h"
#include "taper/distributions/constraint_registry.h"
#include "taper/distributions/counts.h"
#include "taper/distributions/extreme_value.h"
#include "taper/distributions/gamma.h"
#include "taper/distributions/independent.h"
#include "taper/distributions/kl.h"
#include "taper/distributions/location_scale.h"
#include "taper/distributions/mixture_same_family.h"
#include "taper/distributions/multivariate.h"
#include "taper/distributions/normal.h"
#include "taper/distributions/relaxed.h"
#include "taper/distributions/transformed_distribution.h"
#include "taper/distributions/utils.h"
