// Functions that run the cases of each family of models.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs image classifiers: construction from a seed, evaluation and one training step.
void run_vision(Case& c);
/// Compares the figures of image classifiers: published ones, parameters and multiply-adds.
void run_cards(Case& c);
/// Trains the sequence-to-sequence Transformer to copy its input.
void run_own(Case& c);
/// Runs programs around image classifiers, which are ported by hand.
void run_programs(Case& c);
/// Runs models of Hugging Face's transformers: loading, initial values, results, training.
void run_hf(Case& c);
/// Runs generation of tokens, and its processors of scores.
void run_generate(Case& c);

}  // namespace taper::oracle
