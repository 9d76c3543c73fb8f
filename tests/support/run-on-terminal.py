"""Runs a command on a terminal of its own, and copies what it shows: run-on-terminal.py COLUMNS ROWS COMMAND..."""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, rows, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execvp(command[0], command)
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:  # The command has ended.
        break
    if not shown:
        break
    os.write(1, shown)
    if b"\x1b[6n" in shown:  # Where is the cursor? Without an answer, the CLI waits for 5 s.
        os.write(terminal, b"\x1b[1;1R")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
