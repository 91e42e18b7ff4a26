"""Compiler and linker launcher: runs a command and appends its CPU seconds, peak memory in MB and output to
$TAPER_BUILD_COSTS, one line of tab-separated fields."""
import os
import sys

command = sys.argv[1:]
child = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(child, 0)
output = command[command.index("-o") + 1] if "-o" in command else command[-1]
line = f"{usage.ru_utime + usage.ru_stime:.3f}\t{usage.ru_maxrss // 1024}\t{output}\n"
log = os.open(os.environ["TAPER_BUILD_COSTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
os.write(log, line.encode())
sys.exit(os.waitstatus_to_exitcode(status) & 0xff)
