#!/bin/bash
# Written by a model through the shell: every dollar got a backslash.
CHECK="/usr/bin/env"
HOST="\$1"
"\$CHECK" echo "checked \$HOST on \$(uname -s): all well"
