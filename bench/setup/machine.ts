import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

export const describeMachine = (): string => {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${model}, ${memory} GiB, ${platform()} ${release()} ${arch()}`
}

/** The load averages of the machine over 1, 5 and 15 minutes. */
export const describeLoad = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')
