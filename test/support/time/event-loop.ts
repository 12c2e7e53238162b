/** Blocks the event loop of this thread, for a time in ms. */
export const blockEventLoop = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Blocks the event loop like a slow handler does: it uses the CPU, and can wait for less than a millisecond. */
export const busyWait = (microseconds: number): void => {
  const end = process.hrtime.bigint() + BigInt(microseconds) * 1000n
  while (process.hrtime.bigint() < end);
}

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
