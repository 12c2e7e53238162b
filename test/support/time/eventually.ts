// Not the timers and the clock of a test that replaces them.
const { setTimeout } = globalThis
const now = performance.now.bind(performance)

/** Far above any duration on a busy machine. It only yields the error of a check that never passes. */
const limit = 50_000

/**
 * Resolves when the check passes: when it neither throws, nor rejects, nor returns false. The longer it has waited, the longer
 * it pauses between two checks, because a failed check of a large output costs more than a wait that is a tenth longer.
 */
export const eventually = async (check: () => unknown): Promise<unknown> => {
  const start = now()
  for (;;) {
    try {
      const result = await check()
      if (result !== false) return result
      if (now() - start > limit) throw new Error(`still false: ${check.toString()}`)
    } catch (error) {
      if (now() - start > limit) throw error
    }
    const pause = Math.min(100, Math.max(5, (now() - start) / 10))
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
