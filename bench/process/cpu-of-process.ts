import { readdirSync, readFileSync } from 'node:fs'

/**
 * The CPU time of another process so far, in µs: the sum over its threads. Linux counts it in ns, `/proc/<pid>/stat` only
 * in hundredths of a second.
 */
export const cpuOfProcess = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1000, 0)
