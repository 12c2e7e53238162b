/** An invalid option, fault or argument of the simulator, or a port that cannot be listened on. */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError'

  constructor(
    /** Name of the option, fault or argument. */
    readonly option: string,
    /** Description of the problem and of its solution; never contains the auth key. */
    readonly problem: string,
    /** Error of the operating system, if there is one. */
    cause?: Error,
  ) {
    super(`${option}: ${problem}`, cause === undefined ? undefined : { cause })
  }
}
