#!/bin/bash
# demo [options]: train LeNet on handwritten digits and look at the result
setup build
run_program lenet_demo "$@"
