import { TimeoutError } from 'rxjs'
import { messageOf, printable } from '../../errors/text.js'

/** The text of an exception of Node, or of a wait that reached its limit. */
export const errorText = (error: unknown, limit: number): string =>
  error instanceof TimeoutError ? `no answer in ${limit} ms` : printable(messageOf(error))
