// The CPU time of Node itself.
