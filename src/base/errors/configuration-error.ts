/** A mistake in the caller's configuration. Thrown immediately. The message never contains a key or a URL. */
export class ConfigurationError extends Error {
  readonly _tag = 'ConfigurationError'
  override readonly name = 'ConfigurationError'

  constructor(
    /** The name of the invalid option. */
    readonly option: string,
    problem: string,
  ) {
    super(`${option}: ${problem}`)
  }
}
