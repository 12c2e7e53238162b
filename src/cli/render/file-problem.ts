import { readProblems } from '../../backtest/recording/codec/errors.js'
import { messageOf } from '../../base/errors/text.js'

/** The message of a failed system call, without its code, its call and its path; any other message as it is. */
export const systemText = (thrown: unknown): string =>
  messageOf(thrown).replace(/^[A-Z]\w+: ([^']*?), \w+(?: '.*)?$/s, '$1')

/** Why a file cannot be read, as the words after its path and a space. */
export const fileProblem = (thrown: unknown): string =>
  readProblems[(thrown as { readonly code?: string }).code ?? ''] ?? `cannot be read: ${systemText(thrown)}`

/** The result of work that writes a file. Throws an error that begins with the name of the file. */
export const writing = <A>(name: string, work: () => A): A => {
  try {
    return work()
  } catch (thrown) {
    throw new Error(`${name} cannot be written: ${systemText(thrown)}`, { cause: thrown })
  }
}
