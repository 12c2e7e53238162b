/** A mistake in the caller's configuration. Thrown immediately. The message never contains a key or a URL. */
export class ConfigurationError extends Error {
  readonly _tag = 'ConfigurationError'
  override readonly name = 'ConfigurationError'

  constructor(
    /** The name of the invalid option. */
    readonly option: string,
    /** Description of the problem, without the name of the option. */
    readonly problem: string,
    /** The options of which one permits the value, if any does. */
    readonly permittedBy: readonly string[] = [],
  ) {
    super([`${option}: ${problem}`, ...permittedBy.map((each) => `set ${each}`)].join(' or '))
  }
}
