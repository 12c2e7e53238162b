import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isRight } from 'fp-ts/lib/Either.js'
import { lastValueFrom, NEVER } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { expect, test } from 'vitest'
import { decodeHeader, decodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { eventually } from '../../support/time/eventually.js'
import { newFile } from '../support/new-file.js'
import { startOnTerminal } from '../support/terminal.js'
import { commandLine, startCommand } from '../support/command.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

const textOf = (file: string): string => (existsSync(file) ? gunzipSync(readFileSync(file)).toString() : '')

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1)

/** Replays files to their end. */
const replayed = async (files: readonly string[]) => {
  const client = replay(files, { speed: Infinity })
  await lastValueFrom(
    client.run$(() => NEVER),
    { defaultValue: undefined },
  )
  return client.finished
}

test('a compressed recording loses no line, and stays a complete gzip file, when the process is killed', async () => {
  const file = newFile('market.ndjson.gz')
  const command = startCommand(commandLine('record', '--simulate', '--interval', '10', '--out', file))
  await eventually(() => linesOf(textOf(file)).length > 100)
  command.process.kill('SIGKILL')
  await command.waitForExit()
  const text = textOf(file)
  expect(text.endsWith('\n')).toBe(true)
  const [header, ...rows] = linesOf(text)
  expect(isRight(decodeHeader(header!))).toBe(true)
  expect(rows.map(decodeRow).filter((row) => !isRight(row))).toEqual([])
  expect(await replayed([file])).toMatchObject({ right: { rows: rows.length } })
})

test.each(['market.ndjson', 'market.ndjson.gz'])(
  'prints what to do if the disk becomes full: %s',
  { skip: process.platform === 'win32' },
  async (name) => {
    const out = newFile(name)
    const command = commandLine('record', '--simulate', '--interval', '5', '--out', out)
    const child = startCommand(['sh', '-c', 'ulimit -f 8 && exec "$@"', 'sh', ...command])
    expect(await child.waitForExit()).toBe(1)
    expect(child.stderr).toMatch(
      /^error: write failed: EFBIG: file too large, write; see \S+#writeerror\nThe file has what was written before\. Free space on the disk, and record to a new file\.\n$/,
    )
    expect(isRight(await replayed([out]))).toBe(true)
  },
)

test('prints one error if standard output becomes full', { skip: process.platform === 'win32' }, async () => {
  const out = newFile('market.ndjson')
  const command = commandLine('record', '--simulate', '--interval', '5')
  const child = startCommand(['sh', '-c', 'ulimit -f 8 && exec "$@" > "$0"', out, ...command])
  expect(await child.waitForExit()).toBe(1)
  expect(child.stderr).toMatch(/^error: standard output cannot be written: EFBIG: file too large, write\n$/)
})

test('--gzip compresses a file whatever its name, and replay recognises it', async () => {
  const file = newFile('market.ndjson')
  const command = startInProcess(['record', '--simulate', '--gzip', '--out', file])
  await eventually(() => textOf(file).includes('{"_tag":"Price"'))
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  const { stdout } = await runInProcess(['replay', file, '--speed', 'max'])
  expect(stdout).toContain(' ETH price ')
})

test('--rotate starts files that are replayed alone and together, also after the process is killed', async () => {
  const out = newFile('market.ndjson')
  const files = () =>
    readdirSync(dirname(out))
      .sort()
      .map((name) => join(dirname(out), name))
  const command = startCommand(
    commandLine('record', '--simulate', '--interval', '20', '--gzip', '--rotate', '1s', '--out', out),
  )
  // A file is empty between its creation and the write of its header.
  await eventually(() => files().length >= 3 && files().every((file) => statSync(file).size > 0))
  command.process.kill('SIGKILL')
  await command.waitForExit()
  expect(
    files().filter((name) => !/market\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.ndjson\.gz$/.test(name)),
  ).toEqual([])
  const counts = files().map((file) => linesOf(textOf(file)).length - 1)
  const alone = await Promise.all(files().map((file) => replayed([file])))
  expect(alone).toMatchObject(counts.map((rows) => ({ right: { rows } })))
  const rows = counts.reduce((sum, count) => sum + count, 0)
  expect(await replayed(files())).toMatchObject({ right: { rows } })
  const together = await runInProcess(['replay', ...files(), '--speed', 'max', '--json'])
  expect([together.code, together.stderr]).toEqual([0, ''])
})

test('prints the number of rows and of files at the end', async () => {
  const out = newFile('market.ndjson')
  const command = startInProcess(['record', '--simulate', '--rotate', '1s', '--out', out])
  await eventually(() => readdirSync(dirname(out)).length >= 2)
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stderr).toMatch(/^\d+ rows in \d+ files, the last of which is \S+market\.\S+Z\.ndjson\n$/)
})

const missingFolder = '--out: the folder of /no/such/folder/market.ndjson does not exist'

test.each([
  [['--rotate', '1h'], '--rotate: add --out, from which the names of the files are derived'],
  [['--gzip'], '--gzip: add --out, or compress standard output with | gzip'],
  [['--out', '/no/such/folder/market.ndjson'], missingFolder],
  [['--out', '/no/such/folder/market.ndjson', '--rotate', '1h'], missingFolder],
  [['--out', 'x', '--rotate', '1 hour'], 'Give a duration like 30s, 15m, 1h or 1d, at most 365d.'],
])('exits with 2 for %j', async (flags, message) => {
  const { code, stderr } = await runInProcess(['record', '--simulate', ...flags])
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

const escape = String.fromCharCode(27)

test('shows the progress in one line of a terminal, and removes it at the end', async () => {
  const file = newFile('market.ndjson')
  const command = startOnTerminal(['record', '--simulate', '--out', file], {}, { columns: 100, rows: 24 })
  await eventually(() => expect(command.stdout).toMatch(/\d+ rows {2}\d s {2}last price \d\.\d s ago/))
  command.process.stdin?.write('\u0003')
  expect(await command.waitForExit()).toBe(0)
  const { visible, cursor } = await command.screen()
  const rows = linesOf(readFileSync(file, 'utf8')).length - 1
  expect(visible.slice(0, cursor.row + 1)).toEqual([`${rows} rows in ${file}`, ''])
})

test('cuts the progress to the width of a narrow terminal', async () => {
  const file = newFile('market.ndjson')
  const command = startOnTerminal(['record', '--simulate', '--out', file], {}, { columns: 20, rows: 10 })
  await eventually(() => expect(command.stdout).toMatch(/\d+ rows {2}\d s {2}.{0,8}…/))
  command.process.stdin?.write('\u0003')
  expect(await command.waitForExit()).toBe(0)
})

test('shows no progress on a terminal that cannot redraw', async () => {
  const file = newFile('market.ndjson.gz')
  const command = startOnTerminal(
    ['record', '--simulate', '--out', file],
    { TERM: 'dumb' },
    { columns: 100, rows: 24 },
  )
  await eventually(() => textOf(file).includes('{"_tag":"Price"'))
  command.process.stdin?.write('\u0003')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).toMatch(/^(?:\^C)?\d+ rows in \S+\r\n$/)
})

test('shows no progress on a terminal that receives the recording', async () => {
  const command = startOnTerminal(['record', '--simulate'], {}, { columns: 100, rows: 24 })
  await eventually(() => command.stdout.includes('{"_tag":"Price"'))
  command.process.stdin?.write('\u0003')
  expect(await command.waitForExit()).toBe(0)
  expect(command.stdout).not.toContain('last price')
  expect(command.stdout).not.toContain(escape)
})
