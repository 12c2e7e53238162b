import { asNumber, oneLine, printable, truncate } from '../../../base/errors/text.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type {
  DecodeIssue,
  InvalidRange,
  RecordingError,
  UnknownTopic,
  WriteError,
} from '../../../base/errors/model.js'
import { renderIssue } from '../../../base/errors/render.js'
import { unitHint } from './times.js'

/** `source`: the path of the file, or a description of the source. */
export const recordingError = (
  source: string,
  line: number,
  input: string,
  issues: readonly DecodeIssue[],
): RecordingError => ({
  _tag: 'RecordingError',
  message: `line ${line} of ${nameOf(source)}: ${issues.map(textOf).join('; ')}`,
  source: nameOf(source),
  line,
  input: truncate(input),
  issues,
})

const textOf = (issue: DecodeIssue): string =>
  `${renderIssue(issue)}${/\bat$/.test(issue.path) ? unitHint(Number(issue.actual)) : ''}`

/** A source without a line, for example after a crash between the creation of a file and its header. */
export const emptyRecording = (source: string): RecordingError => ({
  ...recordingError(source, 1, '', [{ path: '', expected: 'a recording', actual: 'nothing' }]),
  message: `${nameOf(source)} is empty: no header was written. Leave it out, or record again`,
})

/** A source that could not be opened or read. `line`: the line that was to be read. */
export const unreadableRecording = (source: string, line: number, thrown: unknown): RecordingError => {
  const { code, message } = causeOf(thrown)
  const issues = [{ path: '', expected: 'a line that can be read', actual: message }]
  const error = recordingError(source, line, '', issues)
  const problem = code === undefined ? undefined : readProblems[code]
  if (problem === undefined) return error
  const hint = source.includes('\n') ? '. A string is a path. Pass text as an iterable of strings' : ''
  return { ...error, message: `${nameOf(source)} ${problem} (${code})${hint}` }
}

/** A path is not shortened, because its end is the name of the file. A text that was passed as a path is shortened. */
const nameOf = (source: string): string =>
  source.length > 1024 || source.includes('\n') ? `${oneLine(truncate(source, 40))}…` : printable(source)

export const invalidRange = (problem: string, from?: unknown, to?: unknown): InvalidRange => ({
  _tag: 'InvalidRange',
  message: problem,
  from: asNumber(from),
  to: asNumber(to),
})

export const unknownTopic = (topic: string): UnknownTopic => ({
  _tag: 'UnknownTopic',
  message: `${topic}: not in the history; topics() lists those that are`,
  topic,
})

/** `row`: the number of the invalid row, from 1. */
export const writeError = (thrown: unknown, row?: number): WriteError => {
  const cause = causeOf(thrown)
  const error: WriteError = { _tag: 'WriteError', message: `write failed: ${cause.message}`, cause }
  return row === undefined ? error : { ...error, row }
}

/** Why a file cannot be read, by the code of the system; the words follow its path. */
export const readProblems: Readonly<Partial<Record<string, string>>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'cannot be read, because this user has no permission',
  EPERM: 'cannot be read, because this user has no permission',
  ENAMETOOLONG: 'is too long for a path',
  ESPIPE: 'is a pipe, which can be read only once: write it to a file first',
}
