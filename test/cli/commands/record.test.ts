import { existsSync, readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { decodeHeader, decodeRow } from '../../../src/recording/format/row-codec.js'
import { until } from '../../simulator/support/dial.js'
import { bitcoin, ether, manualMarket } from '../../simulator/support/manual-market.js'
import { running } from '../../simulator/support/running.js'
import { commandLine, run, start, variablesOf } from '../support/command.js'
import { newFile } from '../support/new-file.js'

/** The whole lines of a file, if it is there yet. */
const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []

test('--out: a header and rows in a new file, until SIGINT; then how many', async () => {
  const file = newFile('market.ndjson')
  const command = start(commandLine('record', '--simulate', '--interval', '100', '--out', file))
  await until(() => linesOf(file).filter((line) => line.startsWith('{"_tag":"Depth"')).length >= 6)
  command.process.kill('SIGINT')
  expect([await command.ended(), command.stdout]).toEqual([0, ''])
  const [header, ...rows] = linesOf(file)
  expect(decodeHeader(header!)).toMatchObject({
    right: { topics: [`svc-${ether}`, `svc-${bitcoin}`], mints: [ether, bitcoin], interval: 100 },
  })
  expect(rows.map(decodeRow).filter((row) => !isRight(row))).toEqual([])
  expect(command.stderr).toBe(`${rows.length} rows in ${file}\n`)
})

test('--out: what was written is there, whatever ends the process', async () => {
  const file = newFile('market.ndjson')
  const command = start(commandLine('record', '--simulate', '--interval', '10', '--out', file))
  await until(() => linesOf(file).length > 100)
  command.process.kill('SIGKILL')
  await command.ended()
  expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
  expect(
    linesOf(file)
      .slice(1)
      .map(decodeRow)
      .filter((row) => !isRight(row)),
  ).toEqual([])
})

test('--out: a file that is there is not written over', async () => {
  const file = newFile('market.ndjson', 'precious')
  expect(await run(['record', '--simulate', '--out', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: --out: ${file} is there already; give another name, or move it\nTry: svc-streams record --help\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

test('into a pipe, for so long, prices alone', async () => {
  const simulator = await running({ market: manualMarket() })
  const variables = variablesOf(simulator)
  const { code, stdout, stderr } = await run(['record', ether, '--no-depth', '--duration', '1'], variables)
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.split('\n').slice(0, -1)
  expect(decodeHeader(lines[0]!)).toMatchObject({ right: { topics: [`svc-${ether}`], mints: [] } })
  expect(lines.some((line) => line.includes('"price":2500'))).toBe(true)
})

test('who reads has gone: it ends well', async () => {
  const command = start(commandLine('record', '--simulate'))
  await until(() => command.stdout !== '')
  command.process.stdout?.destroy()
  expect([await command.ended(), command.stderr]).toEqual([0, ''])
})
