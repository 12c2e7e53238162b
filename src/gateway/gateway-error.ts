/** An address that the gateway cannot listen on. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'

  constructor(
    /** Name of the option: `host` or `port`. */
    readonly option: string,
    /** Description of the problem and of its solution. */
    readonly problem: string,
    /** Error of the operating system. */
    cause: Error,
  ) {
    super(`${option}: ${problem}`, { cause })
  }
}
