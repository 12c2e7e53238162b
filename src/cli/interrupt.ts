const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Resolves with the first Ctrl-C or SIGTERM. From then on signals do again what they do by themselves: a second one
 * ends the process at once.
 */
export const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => {
      // Others, such as whoever brings the cursor back, look whether somebody takes care of the signal: stay until then.
      process.nextTick(() => {
        for (const signal of signals) process.off(signal, stop)
      })
      resolve()
    }
    for (const signal of signals) process.on(signal, stop)
  })
