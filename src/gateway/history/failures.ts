import type { WriteError } from '../../base/errors/model.js'

/** Why the parts of a history cannot be written. */
export class Failures {
  private readonly errors = new Map<unknown, WriteError>()

  /** `onChange`: called with the first error, and with `undefined` when all errors are gone. */
  constructor(private readonly onChange: (error: WriteError | undefined) => void) {}

  get newest(): WriteError | undefined {
    return [...this.errors.values()].at(-1)
  }

  of(part: unknown): WriteError | undefined {
    return this.errors.get(part)
  }

  set(part: unknown, error: WriteError | undefined): void {
    const { errors } = this
    const hadErrors = errors.size > 0
    if (error === undefined) errors.delete(part)
    else errors.set(part, error)
    if (hadErrors !== errors.size > 0) this.onChange(error)
  }
}
