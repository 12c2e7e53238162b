import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { left, right } from 'fp-ts/lib/Either.js'
import { depth } from 'svc-streams/testing'
import type { Topic } from 'svc-streams'
import { expect, test } from 'vitest'
import { stale } from '../../../src/base/errors/constructors.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { priceRow, recordingText } from '../../backtest/recording/support/recordings.js'
import { eventually } from '../../support/time/eventually.js'
import { newFile } from '../support/new-file.js'
import { at, header, priced, topic } from '../support/recording.js'
import { startOnTerminal } from '../support/terminal.js'
import { commandLine, startCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'

const textOf = (...rows: readonly Row[]): string => recordingText(header, ...rows)

const recording = textOf(priced(10, 1.5), priced(60_000, 2.5))

test('--speed max prints one line per event with its recorded time', async () => {
  const file = newFile('market.ndjson', recording)
  expect(await runInProcess(['replay', file, '--speed', 'max'])).toEqual({
    code: 0,
    stdout: `\
2026-11-21T10:00:00.000Z status idle
2026-11-21T10:00:00.010Z 0xab price 1.500000 USD
2026-11-21T10:01:00.000Z 0xab price 2.500000 USD
2026-11-21T10:01:00.000Z 0xab price ended
`,
    stderr: '',
  })
})

test('--json prints the recorded rows', async () => {
  const file = newFile('market.ndjson', recording)
  const { stdout } = await runInProcess(['replay', file, '--speed', 'max', '--json'])
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(readFileSync(file, 'utf8').split('\n').slice(1)))
})

test.each(['1', '10', 'max'])('--speed %s prints the recorded rows and times', async (speed) => {
  const late = textOf(priced(10, 1.5), priced(5, 2.5), priced(25, 3.5))
  const file = newFile('market.ndjson', late)
  const json = await runInProcess(['replay', file, '--speed', speed, '--json'])
  const printed = json.stdout.split('\n')
  expect(printed.slice(1, 4)).toEqual(late.split('\n').slice(1, 4))
  const { stdout } = await runInProcess(['replay', file, '--speed', speed])
  expect(stdout).toBe(`\
2026-11-21T10:00:00.000Z status idle
2026-11-21T10:00:00.010Z 0xab price 1.500000 USD
2026-11-21T10:00:00.005Z 0xab price 2.500000 USD
2026-11-21T10:00:00.025Z 0xab price 3.500000 USD
2026-11-21T10:00:00.025Z 0xab price ended
`)
})

test('shows the recorded time of an error on a terminal at a finite speed', async () => {
  const silent: Row = { _tag: 'Price', at: at + 20, topic, event: left(stale(topic, 30_000, undefined)) }
  const file = newFile('market.ndjson', textOf(priced(10, 1.5), silent, priced(30, 2.5)))
  const command = startOnTerminal(['replay', file], { TZ: 'UTC' }, { columns: 100, rows: 24 })
  expect(await command.waitForExit()).toBe(0)
  expect((await command.screen()).visible).toContainEqual(
    expect.stringMatching(/^10:00:00 {2}0xab: no price for 30 s/),
  )
})

test('--speed shortens the intervals; exits with 0 on SIGINT', async () => {
  const file = newFile('market.ndjson', textOf(priced(0, 1), priced(100, 2), priced(1e9, 3)))
  const command = startCommand(commandLine('replay', file, '--speed', '10'))
  await eventually(() => command.stdout.includes('price 2.000000 USD'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
  expect(command.stdout).not.toContain('price 3.000000 USD')
})

test('reads standard input', async () => {
  const command = startCommand(commandLine('replay', '-', '--speed', 'max'))
  command.process.stdin?.end(recording)
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).toContain('price 2.500000 USD')
})

test('exits with 0 on SIGINT while it waits for input', async () => {
  const command = startCommand(commandLine('replay', '-', '--speed', 'max'))
  command.process.stdin?.write(recording)
  await eventually(() => command.stdout.includes('price 2.500000 USD'))
  command.process.kill('SIGINT')
  expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
})

test('prints all events before damage, then the line and the error, and exits with 1', async () => {
  const file = newFile('market.ndjson', recording.slice(0, -30))
  const { code, stdout, stderr } = await runInProcess(['replay', file, '--speed', 'max'])
  expect(code).toBe(1)
  expect(stdout).toContain('price 1.500000 USD')
  expect(stderr).toMatch(/^error: line 3 of \S+market.ndjson: expected JSON, got .*\n$/)
})

test.each([
  [
    'does not exist',
    () => '/no/such/file',
    /^error: \/no\/such\/file does not exist \(ENOENT\); see https:.*docs\/reference\/errors\.md#recordingerror\n$/,
  ],
  ['is not a recording', () => newFile('x', 'hello\n'), /^error: line 1 .*expected JSON/],
])('exits with 1 for a file that %s', async (_, file, message) => {
  const { code, stdout, stderr } = await runInProcess(['replay', file()])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(message)
})

test('--tokens gives symbols and decimals; the topic has the service of the recording', async () => {
  const file = newFile('tokens.json', JSON.stringify({ ABC: { address: '0xAB', decimals: 3 } }))
  const deep: Row = {
    _tag: 'Depth',
    at: at + 20,
    mint: '0xab',
    event: right(depth('0xab', { buy: { totalQuantity: 1500n, totalQuantityUsd: 2 } })),
  }
  const acme = textOf(priced(10, 1.5), deep)
    .replaceAll(topic, 'acme-0xab')
    .replace('"mints":[]', '"mints":["0xab"]')
  const replayed = (...args: readonly string[]) =>
    runInProcess(['replay', newFile('market.ndjson', acme), '--speed', 'max', '--tokens', file, ...args])
  const { stdout } = await replayed()
  expect(stdout).toContain(' ABC price 1.5')
  expect(stdout).toMatch(/ ABC depth .* USD 1\.5 ABC, sell /)
  const json = (await replayed('--json')).stdout.split('\n').filter((line) => line.includes('"Depth"'))
  expect(JSON.parse(json[0]!)).toMatchObject({ topic: 'acme-0xab', symbol: 'ABC', mint: '0xab' })
})

const secondHour = textOf(priced(3_600_000, 3.5), priced(3_660_000, 4.5))

/** Replays two files. Returns the prices that are printed. */
const replayParts = async (...flags: readonly string[]) => {
  const files = [newFile('one.ndjson', recording), newFile('two.ndjson.gz')] as const
  writeFileSync(files[1], gzipSync(secondHour))
  const { code, stdout, stderr } = await runInProcess(['replay', ...files, '--speed', 'max', ...flags])
  return { code, prices: [...stdout.matchAll(/price ([\d.]+) USD/g)].map(([, usd]) => Number(usd)), stderr }
}

test.each<[readonly string[], readonly number[]]>([
  [[], [1.5, 2.5, 3.5, 4.5]],
  [
    ['--from', '2026-11-21T10:01:00Z'],
    [2.5, 3.5, 4.5],
  ],
  [
    ['--to', String(at + 3_660_000)],
    [1.5, 2.5, 3.5],
  ],
  [['--from', '2026-11-21T12:01:00+01:00', '--to', '2026-11-21T11:01:00Z'], []],
])('replays files in their order, plain and gzip, with %j', async (flags, prices) => {
  const result = await replayParts(...flags)
  expect(result.prices).toEqual(prices)
  if (prices.length > 0) expect([result.code, result.stderr]).toEqual([0, ''])
})

test('replays files in any order', async () => {
  const [late, early] = [newFile('late.ndjson', secondHour), newFile('early.ndjson', recording)]
  const { code, stdout, stderr } = await runInProcess(['replay', late, early, '--speed', 'max'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.match(/price [\d.]+ USD/g)).toEqual(
    ['1.500000', '2.500000', '3.500000', '4.500000'].map((price) => `price ${price} USD`),
  )
})

test('exits with 1 for a file that is given twice, at its first row that is earlier than a played one', async () => {
  const [late, early] = [newFile('late.ndjson', secondHour), newFile('early.ndjson', recording)]
  const { code, stdout, stderr } = await runInProcess(['replay', late, early, early, '--speed', 'max'])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      `error: line 3 of ${early}: expected a time of ${topic} that no other recording has, got rows of it in ${early} too`,
    ),
  ])
  expect(stdout).not.toContain('2.500000')
})

test('prints a warning if a row is earlier than its predecessor', async () => {
  const file = newFile('market.ndjson', textOf(priced(10, 1.5), priced(5, 2.5)))
  expect(await runInProcess(['replay', file, '--speed', 'max'])).toMatchObject({
    code: 0,
    stderr: 'warning: 1 row was earlier than the row before: was a clock set back?\n',
  })
})

test('prints the rows of topics that are in a later header, or in no header', async () => {
  const [added, unlisted]: readonly [Topic, Topic] = ['svc-0xcd', 'svc-0xef']
  const text =
    textOf(priced(0, 1)) +
    recordingText(
      { ...header, at: at + 100, topics: [topic, added] },
      ...([topic, added, unlisted] as const).map((of, n): Row => ({
        ...priceRow(0, n + 2, of),
        at: at + 200,
      })),
    )
  const { stdout } = await runInProcess(['replay', newFile('market.ndjson', text), '--speed', 'max'])
  expect(stdout.match(/0x\w+ price [\d.]+/g)).toEqual([
    '0xab price 1.000000',
    '0xab price 2.000000',
    '0xcd price 3.000000',
    '0xef price 4.000000',
  ])
})

test('exits with 1 if no event is in the part', async () => {
  expect(await replayParts('--to', '2026-11-21')).toEqual({
    code: 1,
    prices: [],
    stderr: 'error: no event between --from and --to; the recording starts at 2026-11-21T10:00:00.000Z\n',
  })
})

test('exits with 1 if the recordings have only headers', async () => {
  const files = ['a.ndjson', 'b.ndjson'].map((name) => newFile(name, textOf()))
  expect(await runInProcess(['replay', ...files, '--speed', 'max'])).toMatchObject({
    code: 1,
    stderr:
      'error: no event after the header of the recording; the recording starts at 2026-11-21T10:00:00.000Z\n',
  })
})

test('exits with 2 for a part that ends before it starts, and for a time without a zone', async () => {
  const ended = await replayParts('--from', String(at + 2), '--to', String(at + 1))
  expect([ended.code, ended.stderr]).toEqual([
    2,
    expect.stringContaining('--to: expected a time after --from'),
  ])
  const zoneless = await replayParts('--from', '2026-11-21T10:00:00')
  expect([zoneless.code, zoneless.stderr]).toEqual([
    2,
    expect.stringContaining('Give a time like 2026-11-22T10:00:00Z'),
  ])
})

test.each([
  ['is missing', () => '/no/such/file', 'does not exist (ENOENT)'],
  [
    'is empty',
    () => newFile('empty.ndjson', ''),
    'is empty: no header was written. Leave it out, or record again',
  ],
])('prints the events of the files before one that %s, and exits with 1', async (_, other, problem) => {
  const files = [newFile('market.ndjson', recording), other(), newFile('two.ndjson', secondHour)] as const
  const { code, stdout, stderr } = await runInProcess(['replay', ...files, '--speed', 'max'])
  expect([code, stderr]).toEqual([
    1,
    `error: ${files[1]} ${problem}; see https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md#recordingerror\n`,
  ])
  expect(stdout).toContain('price 2.500000 USD')
})
