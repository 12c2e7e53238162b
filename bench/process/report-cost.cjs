// Loaded into a measured program: writes its CPU time, in microseconds, and its peak memory, in kB, to descriptor 3 at its exit.
const { readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  // `maxRSS` is at least the memory of the parent when it started this process.
  const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
  writeSync(3, `${user + system} ${kilobytes}`)
})
