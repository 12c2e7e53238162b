import type { StoredMsg } from '@nats-io/jetstream'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { CoveredTopic } from '../../client/history.js'
import type { Topic } from '../../domain/topic.js'
import { recordingError } from '../../errors/constructors.js'
import type { HistoryError } from '../../errors/model.js'
import { decodeHeader, decodeRow } from '../../recording/format/row-codec.js'
import type { Subjects } from '../subjects.js'
import type { JetStream } from './jetstream.js'

/** The number of topics whose messages are requested at the same time. */
const requestsAtOnce = 32

/** The subjects of the stream that has this history, in its spelling. */
const readSubjects = async (
  { manager }: JetStream,
  { historyStream, histories }: Subjects,
): Promise<readonly string[]> => {
  const { state } = await manager.streams.info(historyStream, { subjects_filter: histories })
  return Object.keys(state.subjects ?? {})
}

const topicOf = (subject: string, service: string): Topic =>
  `${service}-${subject.slice(subject.lastIndexOf('.') + 1)}` as Topic

export const readTopicNames = async (
  jetStream: JetStream,
  subjects: Subjects,
  service: string,
): Promise<readonly Topic[]> =>
  (await readSubjects(jetStream, subjects)).map((subject) => topicOf(subject, service))

/** The topics of the stream, with the times of their first and last rows. */
export const readCoveredTopics = async (
  jetStream: JetStream,
  subjects: Subjects,
  service: string,
): Promise<Either<HistoryError, readonly CoveredTopic[]>> => {
  const names = await readSubjects(jetStream, subjects)
  const topics: CoveredTopic[] = []
  for (let start = 0; start < names.length; start += requestsAtOnce) {
    const part = names.slice(start, start + requestsAtOnce)
    const times = await Promise.all(part.map((name) => readTimes(jetStream, subjects, name)))
    for (const [index, result] of times.entries()) {
      if (isLeft(result)) return result
      // Its messages have been deleted meanwhile.
      if (result.right === undefined) continue
      topics.push({ topic: topicOf(part[index] ?? '', service), ...result.right })
    }
  }
  return right(topics.sort((a, b) => a.from - b.from))
}

type Times = Omit<CoveredTopic, 'topic'>

const readTimes = async (
  { manager }: JetStream,
  { historyStream }: Subjects,
  subject: string,
): Promise<Either<HistoryError, Times | undefined>> => {
  const { streams } = manager
  const [first, last] = await Promise.all([
    streams.getMessage(historyStream, firstOf(subject)),
    streams.getMessage(historyStream, { last_by_subj: subject }),
  ])
  if (first === null || last === null) return right(undefined)
  const from = timeOf(first, 0)
  if (isLeft(from)) return from
  const to = timeOf(last, -1)
  return isLeft(to) ? to : right({ from: from.right, to: to.right })
}

/** The type of the package lacks this form of the request. */
const firstOf = (subject: string) => ({ seq: 1, next_by_subj: subject })

/** The time of a line of a message, in ms since the Unix epoch. */
const timeOf = (message: StoredMsg, index: number): Either<HistoryError, number> => {
  const lines = message.string().split('\n').slice(0, -1)
  const line = lines.at(index) ?? ''
  const header = decodeHeader(line)
  if (!isLeft(header)) return right(header.right.at)
  const row = decodeRow(line)
  if (!isLeft(row)) return right(row.right.at)
  const { input, issues } = row.left
  const source = `${message.subject}, message ${message.seq}`
  return left(recordingError(source, index < 0 ? Math.max(1, lines.length) : 1, input, issues))
}
