#!/bin/bash
# oracle DIR [options]: run every case file and corpus of checkpoint files under DIR and report per family or kind (--threads N, --target ISA)
(($# >= 1)) || bad_usage "needs a directory of case files or of checkpoints"
setup build
run_program taper_oracle "$@"
