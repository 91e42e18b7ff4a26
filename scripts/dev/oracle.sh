#!/bin/bash
# oracle DIR: run every case file under DIR and report per family
(($# >= 1)) || bad_usage "needs a directory of case files"
setup build
run_program taper_oracle "$@"
