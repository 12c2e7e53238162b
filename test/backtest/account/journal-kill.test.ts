import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import {
  compiledPath,
  spawnCommand,
  spawnNode,
  type NodeProcess,
} from '../../support/process/node-process.js'
import { caseCount } from '../../support/run/long.js'
import { eventually } from '../../support/time/eventually.js'

interface Line {
  readonly _tag: string
  readonly id: string
  readonly side: 'buy' | 'sell'
  readonly quantity: string
  readonly valueUsd: number
  readonly feeUsd: number
  readonly cash: number
  readonly holdings: readonly { readonly quantity: string }[]
}

const program = 'test/backtest/account/programs/trade-until-killed.ts'
const newJournal = (): string => join(mkdtempSync(join(tmpdir(), 'paper-kill-')), 'desk.ndjson')

/** The ids of the fills that a run has printed. */
const fillsOf = (run: Pick<NodeProcess, 'stdout'>): readonly string[] => run.stdout.split('\n').slice(0, -1)

/** Runs until it has printed so many fills, and then kills it. Returns its fills. */
const killAfter = async (journal: string, count: number): Promise<readonly string[]> => {
  const run = spawnNode([compiledPath(program), journal])
  await eventually(() => expect(fillsOf(run).length).toBeGreaterThan(count))
  run.process.kill('SIGKILL')
  expect(await run.waitForExit()).toBe('SIGKILL')
  expect(run.stderr).toBe('')
  return fillsOf(run)
}

/** The journal has each printed fill once, and its cash and position are those of all its fills. */
const expectConsistent = (journal: string, printed: readonly string[]): void => {
  const whole = readFileSync(journal, 'utf8').split('\n').slice(0, -1)
  const lines = whole.map((line) => JSON.parse(line) as Line)
  const state = lines.findLastIndex(({ _tag }) => _tag === 'State')
  // Fills after the last state were not emitted, and the next run removes them.
  const fills = lines.slice(0, state).filter(({ _tag }) => _tag === 'Filled')
  const ids = fills.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining([...printed]))
  // The cash is that of all fills: each counts once.
  const cash = fills.reduce(
    (usd, { side, valueUsd, feeUsd }) => usd + (side === 'buy' ? -valueUsd : valueUsd) - feeUsd,
    1_000,
  )
  expect(lines[state]!.cash).toBe(cash)
  const held = fills.reduce((total, { side, quantity }) => {
    return side === 'buy' ? total + BigInt(quantity) : total - BigInt(quantity)
  }, 0n)
  expect(lines[state]!.holdings.map(({ quantity }) => quantity)).toEqual([String(held)])
}

it(
  'loses no fill and repeats none when the process is killed again and again',
  { timeout: 300_000 },
  async () => {
    const journal = newJournal()
    const printed: string[] = []
    for (let kill = 0; kill < caseCount(100); kill++)
      printed.push(...(await killAfter(journal, (kill * 7) % 23)))
    expectConsistent(journal, printed)
  },
)

it('ends with a WriteError when its file cannot grow, emits no fill without its line, and goes on later', async () => {
  const journal = newJournal()
  // As a full disk, for this process alone: the limit is in units of 512 or 1024 bytes.
  const command = 'ulimit -f 24; exec "$0" "$@"'
  const limited = spawnCommand(['/bin/sh', '-c', command, process.execPath, compiledPath(program), journal])
  expect(await limited.waitForExit()).toBe(0)
  expect(limited.stderr).toMatch(/write failed: .*desk\.ndjson: EFBIG/)
  const printed = fillsOf(limited)
  expect(printed.length).toBeGreaterThan(0)
  expectConsistent(journal, printed)
  expectConsistent(journal, [...printed, ...(await killAfter(journal, 3))])
})

it('leaves no file of a lock that cannot be written', async () => {
  const journal = newJournal()
  const command = 'ulimit -f 0; exec "$0" "$@"'
  const limited = spawnCommand(['/bin/sh', '-c', command, process.execPath, compiledPath(program), journal])
  expect(await limited.waitForExit()).toBe(0)
  expect(limited.stderr).toMatch(/write failed: .*desk\.ndjson: EFBIG/)
  expect(readdirSync(dirname(journal))).toEqual(['desk.ndjson'])
})

it('is refused to a second process, which does not change the journal of the first', async () => {
  const journal = newJournal()
  const first = spawnNode([compiledPath(program), journal])
  await eventually(() => expect(fillsOf(first).length).toBeGreaterThan(0))
  const second = spawnNode([compiledPath(program), journal])
  expect(await second.waitForExit()).toBe(0)
  expect(second.stdout).toBe('')
  expect(second.stderr).toContain(`${journal}: in use by process ${first.process.pid}`)
  const count = fillsOf(first).length
  await eventually(() => expect(fillsOf(first).length).toBeGreaterThan(count))
  first.process.kill('SIGKILL')
  expect(await first.waitForExit()).toBe('SIGKILL')
  expectConsistent(journal, fillsOf(first))
})
