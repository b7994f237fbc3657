"""Machines in QEMU that run bakeoff as root: disks may be erased there, pulled out, and lose power.

What happens to disks, mounts and mappings is real; how long it takes means nothing, and no test
looks at it. `board` says what a machine is, `disk` what is plugged into it, `image` what it starts
from, `machine` switches it on, `guest` is one that runs, `runs` are runs of bakeoff in it.
"""
