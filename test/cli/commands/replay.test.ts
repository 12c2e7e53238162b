import { readFileSync } from 'node:fs'
import { right } from 'fp-ts/lib/Either.js'
import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { encodeRow } from '../../../src/recording/format/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/recording/format/row.js'
import { eventually } from '../../support/time/eventually.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'
import { newFile } from '../support/new-file.js'

const topic = 'svc-0xab'
const at = Date.parse('2026-11-21T10:00:00Z')

const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at,
  topics: [topic],
  mints: [],
  interval: 1000,
}

const priced = (ms: number, usd: number): Row => ({
  _tag: 'Price',
  at: at + ms,
  topic,
  event: right(price(topic, usd, { receivedAt: at + ms })),
})

const textOf = (...rows: readonly Row[]): string =>
  [header, ...rows].map((row) => `${encodeRow(row)}\n`).join('')

const recording = textOf(priced(10, 1.5), priced(60_000, 2.5))

test('--speed max prints one line per event with its recorded time', async () => {
  const file = newFile('market.ndjson', recording)
  expect(await runCommand(['replay', file, '--speed', 'max'])).toEqual({
    code: 0,
    stdout: `\
2026-11-21T10:00:00.000Z status idle
2026-11-21T10:00:00.010Z 0xab price 1.5 USD
2026-11-21T10:01:00.000Z 0xab price 2.5 USD
2026-11-21T10:01:00.000Z 0xab price ended
`,
    stderr: '',
  })
})

test('--json prints the recorded rows', async () => {
  const file = newFile('market.ndjson', recording)
  const { stdout } = await runCommand(['replay', file, '--speed', 'max', '--json'])
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(readFileSync(file, 'utf8').split('\n').slice(1)))
})

test('--speed shortens the intervals; exits with 0 on SIGINT', async () => {
  const file = newFile('market.ndjson', textOf(priced(0, 1), priced(100, 2), priced(1e9, 3)))
  const command = startCommand(commandLine('replay', file, '--speed', '10'))
  await eventually(() => command.stdout.includes('price 2 USD'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  expect(command.stdout).not.toContain('price 3 USD')
})

test('reads standard input', async () => {
  const command = startCommand(commandLine('replay', '-', '--speed', 'max'))
  command.process.stdin?.end(recording)
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).toContain('price 2.5 USD')
})

test('exits with 0 on SIGINT while it waits for input', async () => {
  const command = startCommand(commandLine('replay', '-', '--speed', 'max'))
  command.process.stdin?.write(recording)
  await eventually(() => command.stdout.includes('price 2.5 USD'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('prints all events before damage, then the line and the error, and exits with 1', async () => {
  const file = newFile('market.ndjson', recording.slice(0, -30))
  const { code, stdout, stderr } = await runCommand(['replay', file, '--speed', 'max'])
  expect(code).toBe(1)
  expect(stdout).toContain('price 1.5 USD')
  expect(stderr).toMatch(/^error: RecordingError: line 3 of the recording: expected JSON, got .*\n$/)
})

test.each([
  ['does not exist', () => '/no/such/file', /^error: RecordingError: line 1 .*ENOENT/],
  ['is not a recording', () => newFile('x', 'hello\n'), /^error: RecordingError: line 1 .*expected JSON/],
])('exits with 1 for a file that %s', async (_, file, message) => {
  const { code, stdout, stderr } = await runCommand(['replay', file()])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(message)
})
