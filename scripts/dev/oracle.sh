#!/bin/bash
# oracle DIR: run every case file and corpus of checkpoint files under DIR and report per family or kind
(($# >= 1)) || bad_usage "needs a directory of case files or of checkpoints"
setup build
run_program taper_oracle "$@"
