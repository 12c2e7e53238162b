/** What was asked of the simulator and cannot be. The message says which option, what is wrong, and what to do. */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError'

  constructor(
    /** The option, fault or argument at fault. */
    readonly option: string,
    /** What is wrong with it, and what to do; never the auth key. */
    readonly problem: string,
    /** `cause`: the system's own error, where it is not the option but the system that refuses. */
    cause?: Error,
  ) {
    super(`${option}: ${problem}`, cause === undefined ? undefined : { cause })
  }
}
