import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalAddress } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { rotatedStart } from '../../recording/past/recorded-file.js'
import { lineEnd } from '../../recording/read/read-entries.js'

/** A file of a history. */
export interface HistoryFile {
  readonly path: string
  /** Its address is in lower case. */
  readonly topic: Topic
  /** In ms since the Unix epoch. */
  readonly startAt: number
}

/** `svc-0xab.2026-11-22T10-00-00Z.ndjson`: the time is in UTC. A number follows it if the name was taken. */
const filePattern = /^([\w-]+-0x[0-9a-f]+)\.[^.]+\.ndjson$/

/** The files of all histories in a folder, of each topic in the order of their starts. Throws if it cannot be read. */
export const historyFiles = (folder: string): readonly HistoryFile[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const [, topic] = filePattern.exec(name) ?? []
      const startAt = rotatedStart(name)
      if (topic === undefined || startAt === undefined) return []
      return [{ path: join(folder, name), topic: topic as Topic, startAt }]
    })

/** The topic by which the files of a history are named. */
export const canonicalTopic = (service: string, topic: Topic): Topic =>
  `${service}-${canonicalAddress(addressOf(topic))}`

/** Longer than a header of one topic. */
const headerBytes = 4096

/** True if the first line of a file is complete. Throws if the file cannot be read. */
export const hasHeader = (path: string): boolean => {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(headerBytes)
    return bytes.subarray(0, readSync(file, bytes, 0, headerBytes, 0)).includes(lineEnd)
  } finally {
    closeSync(file)
  }
}
