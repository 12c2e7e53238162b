// Loaded into a measured program: writes its CPU time, in microseconds, and its peak memory, in kB, to descriptor 3 at its exit.
const { writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, `${user + system} ${process.resourceUsage().maxRSS}`)
})
