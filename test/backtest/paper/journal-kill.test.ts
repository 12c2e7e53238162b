import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { isLong } from '../../support/run/long.js'
import { eventually } from '../../support/time/eventually.js'
import { add, fromDouble, multiply, negate, rational, sum, toDouble } from './support/rational.js'

interface Line {
  readonly _tag: string
  readonly id: string
  readonly side: 'buy' | 'sell'
  readonly quantity: string
  readonly price: number
  readonly cash: string
  readonly holdings: readonly { readonly quantity: string }[]
}

it(
  'loses no fill and repeats none when the process is killed again and again',
  { timeout: 300_000 },
  async () => {
    const journal = join(mkdtempSync(join(tmpdir(), 'paper-kill-')), 'desk.ndjson')
    const printed: string[] = []
    for (let kill = 0; kill < (isLong ? 100 : 3); kill++) {
      const run = spawnNode([compiledPath('test/backtest/paper/programs/trade-until-killed.ts'), journal])
      const fills = (): readonly string[] => run.stdout.split('\n').slice(0, -1)
      await eventually(() => expect(fills().length).toBeGreaterThan((kill * 7) % 23))
      run.process.kill('SIGKILL')
      expect(await run.waitForExit()).toBe('SIGKILL')
      expect(run.stderr).toBe('')
      printed.push(...fills())
    }

    const whole = readFileSync(journal, 'utf8').split('\n').slice(0, -1)
    const lines = whole.map((line) => JSON.parse(line) as Line)
    const state = lines.findLastIndex(({ _tag }) => _tag === 'State')
    // Fills after the last state were not emitted, and the next run removes them.
    const fills = lines.slice(0, state).filter(({ _tag }) => _tag === 'Filled')
    const ids = fills.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(printed))
    // The cash is that of all fills: each counts once.
    const flows = fills.map(({ side, quantity, price }) => {
      const value = multiply(fromDouble(price), rational(BigInt(quantity), 10n ** 18n))
      const fee = multiply(value, rational(15n, 100_000n))
      return add(side === 'buy' ? negate(value) : value, negate(fee))
    })
    expect(Number(lines[state]!.cash)).toBe(toDouble(add(rational(1_000n), sum(flows))))
    const held = fills.reduce((total, { side, quantity }) => {
      return side === 'buy' ? total + BigInt(quantity) : total - BigInt(quantity)
    }, 0n)
    expect(lines[state]!.holdings.map(({ quantity }) => quantity)).toEqual([String(held)])
  },
)
