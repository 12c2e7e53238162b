/** What the caller does wrong at construction. Thrown at once; the message never contains a key or a URL. */
export class ConfigurationError extends Error {
  readonly _tag = 'ConfigurationError'
  override readonly name = 'ConfigurationError'

  constructor(
    /** The option at fault. */
    readonly option: string,
    problem: string,
  ) {
    super(`${option}: ${problem}`)
  }
}
