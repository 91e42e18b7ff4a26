// All of taper::train.
#pragma once
#include "taper/train/csv_logger.h"
#include "taper/train/event_file_reader.h"
#include "taper/train/html_report.h"
#include "taper/train/interrupt.h"
#include "taper/train/progress_bar.h"
#include "taper/train/summary_writer.h"
#include "taper/train/trainer.h"
