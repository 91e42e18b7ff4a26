// Functions that run the cases of each family of the training kit.
#pragma once
#include "cases/case.h"

namespace taper::oracle {

/// Runs samplers and random_split.
void run_samplers(Case& c);
/// Runs autocast and GradScaler.
void run_amp(Case& c);
/// Runs data loaders, collation and datasets.
void run_loader(Case& c);
/// Runs transforms of images.
void run_transforms(Case& c);
/// Runs decoding and encoding of image files, tables and tar archives.
void run_images(Case& c);
/// Runs metrics, collections of metrics and functions of boxes.
void run_metrics(Case& c);
/// Runs event files of SummaryWriter.
void run_events(Case& c);

}  // namespace taper::oracle
