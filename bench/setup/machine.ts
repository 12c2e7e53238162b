import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** Where this runs, for whoever compares. */
export const describeMachine = (): string => {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${model}, ${memory} GiB, ${platform()} ${release()} ${arch()}`
}

/** How busy the machine was with other things. */
export const describeLoad = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')
