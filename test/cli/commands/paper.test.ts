import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { left, right } from 'fp-ts/lib/Either.js'
import { depth, disconnected, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { openJournalFile } from '../../../src/backtest/account/journal/journal-file.js'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { inProcessFolder, moduleFolder } from '../../backtest/sweep/support/run-sweep.js'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { collectEvents } from '../../support/collect-events.js'
import { manualMarket } from '../../support/manual-market.js'
import { newFolder } from '../../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { eventually } from '../../support/time/eventually.js'
import { compiledPath, spawnCommand, spawnNode } from '../../support/process/node-process.js'
import { skipIf } from '../../support/run/skip.js'
import { runInProcess, startInProcess } from '../support/in-process.js'
import { at, header, priced } from '../support/recording.js'

const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
const bookAt = (ms: number): Row => ({
  _tag: 'Depth',
  at: at + ms,
  mint: '0xab',
  event: right(depth('0xab', { buy: side, sell: side, timestamp: at + ms, receivedAt: at + ms })),
})

/** Buys at each even price, and sells at each odd one. */
const strategy = (decimals: number, address: string, topic: string) => `
import { map } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { market } from 'svc-streams/paper'
const tokens = defineTokens({ ETH: { address: '${address}', decimals: ${decimals} } })
export const options = { tokens, cash: 10_000, feeBps: 10, slippageBps: 0, latency: 0, depthInterval: 500 }
export default (client, account, units = 100) => client.price$('${topic}').pipe(
  rights(),
  map(({ price }, index) => market('ETH', index % 2 === 0 ? 'buy' : 'sell', { units: BigInt(units) })),
)`

const ofTwoTokens = strategy(2, '0xab', 'svc-0xab').replace(
  'defineTokens({',
  "defineTokens({ OTHER: { address: '0xcd', decimals: 18 },",
)

/** The same module, compiled to CommonJS. */
const commonJs = (text: string): string => transformSync(text, { format: 'cjs' }).code

/** The command as it is installed: its packages are those of the strategy. */
const main = (): string => compiledPath('dist/cli/main.js')

const runCommand = async (args: readonly string[]) => {
  const command = spawnNode([main(), ...args])
  const code = await command.waitForExit()
  return { code, stdout: command.stdout, stderr: command.stderr }
}

/** Writes into a new folder. */
const inFolder =
  (folder = moduleFolder()) =>
  (name: string, text?: string): string => {
    if (text !== undefined) writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

/** The same for a command in the process of the test. */
const besideRxjs = () => inFolder(inProcessFolder())

const recording = recordingText(
  { ...header, mints: ['0xab'] },
  bookAt(0),
  ...[0, 1, 2, 3].map((index) => priced(1_000 * (index + 1), 100 + index)),
)

describe('svc-streams backtest', () => {
  it('prints fills and the summary, and writes the report', async () => {
    const file = inFolder()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const report = file('report.html')
    const { code, stdout, stderr } = await runCommand(['backtest', ...args, '--report', report])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      / buy +1 ETH at 100\.0000, 100\.00 USD {2}#1\n.* sell +1 ETH at 101\.0000, 101\.00 USD {2}#2\n/,
    )
    expect(stdout).toMatch(/^profitUsd +1\.594$/m)
    expect(stdout).toMatch(/^winRate +1$/m)
    expect(stdout).toMatch(/^annual\.sharpe +-$/m)
    const html = readFileSync(report, 'utf8').replaceAll(' class="number"', '')
    expect(html).toContain(
      'Assumptions: tokens ETH, cash 10000, feeBps 10, slippageBps 0, latency 0, depthInterval 500,',
    )
    expect(html).toContain('Parameter: none, so that the defaults of the strategy apply.')
    expect(html).toContain('Data: 5 rows played. Left out: 0 invalid')
    expect(html).not.toMatch(/\d gaps? in the data/)
    expect(html).not.toContain('is assumed to be')
    expect(html).toContain(`<code>npx svc-streams backtest ${args.join(' ')} --report ${report}<`)
  })

  it('writes the fills and the equity as CSV, with units', async () => {
    const file = besideRxjs()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const [trades, equity] = [file('trades.csv', 'earlier\n'), file('equity.csv')]
    const { code } = await runInProcess(['backtest', ...args, '--trades', trades, '--equity', equity])
    expect(code).toBe(0)
    const time = (ms: number): string => new Date(at + ms).toISOString()
    expect(readFileSync(trades, 'utf8').split('\r\n').slice(0, 3)).toEqual([
      'time_utc,decided_utc,order,symbol,side,quantity_tokens,price_usd,value_usd,fee_usd,slippage_usd',
      `${time(1_000)},${time(1_000)},1,ETH,buy,1,100,100,0.1,0`,
      `${time(2_000)},${time(2_000)},2,ETH,sell,1,101,101,0.101,0`,
    ])
    const lines = readFileSync(equity, 'utf8').split('\r\n')
    expect(lines[0]).toBe('time_utc,equity_usd,is_current')
    expect(lines.at(-2)).toBe(`${time(4_000)},10001.594,true`)
    expect(lines.at(-1)).toBe('')
    const nowhere = await runInProcess(['backtest', ...args, '--trades', join(file('missing'), 'trades.csv')])
    expect(nowhere.code).toBe(2)
    expect(nowhere.stderr).toContain('--trades: the folder of ')
  })

  it('names the assumed depths, the gaps, the invalid rows, and each flag in the report', async () => {
    const file = besideRxjs()
    const assumed = (name: string, assumedDepth: string) =>
      file(
        name,
        recording.replace('"interval"', `"assumedDepth":"${assumedDepth}","invalidRows":3,"interval"`),
      )
    const later = recordingText({ ...header, at: at + 60_000, mints: ['0xab'] }, priced(70_000, 100))
    const args = [
      file("joe's plain.ndjson", later),
      assumed('one.ndjson', '10'),
      file('strategy.mjs', strategy(2, '0xab', 'svc-0xab')),
    ]
    const report = file('report.html')
    const flags = ['--parameter', '200', '--from', '1700000000000', '--report', report]
    expect((await runInProcess(['backtest', ...args, ...flags])).code).toBe(0)
    const html = readFileSync(report, 'utf8').replaceAll(' class="number"', '')
    expect(html).toContain('it is assumed to be 10 tokens on both sides')
    expect(html).toContain('Left out: 3 invalid in the imported files')
    expect(html).toContain('<p>1 gap in the data, 1 min 6 s in all')
    expect(html).toContain('class="gaps" d="M')
    const command = html.slice(html.indexOf('npx svc-streams')).split('<')[0]
    expect(command).toContain(`--parameter 200 --from 1700000000000 --report ${report}`)
    expect(command).toContain(`joe'\\''s plain.ndjson' `)
  })

  /** The prices of one token, and 5 minutes after the fourth one a price of another token. */
  const endsEarly = (count: number) =>
    recordingText(
      { ...header, topics: ['svc-0xab', 'svc-0xcd'], mints: ['0xab'] },
      bookAt(0),
      ...[0, 1, 2, 3].slice(0, count).map((index) => priced(1_000 * index, 100 + index)),
      {
        _tag: 'Price',
        at: at + 303_000,
        topic: 'svc-0xcd',
        event: right(price('svc-0xcd', 1, { receivedAt: at + 303_000 })),
      },
    )

  it('has a gap on the page from the last price of a token to the end of the data', async () => {
    const file = besideRxjs()
    const report = file('report.html')
    const args = [file('market.ndjson', endsEarly(4)), file('strategy.mjs', ofTwoTokens)]
    expect((await runInProcess(['backtest', ...args, '--report', report])).code).toBe(0)
    expect(readFileSync(report, 'utf8')).toContain('<p>1 gap in the data, 5 min in all')
  })

  it('says how old the last price of a position is at the end of the data', async () => {
    const file = besideRxjs()
    const backtest = async (count: number) => {
      const args = [file('market.ndjson', endsEarly(count)), file('strategy.mjs', ofTwoTokens)]
      return (await runInProcess(['backtest', ...args])).stderr
    }
    expect(await backtest(3)).toContain(
      'note: The position in ETH has the value of its last price, 5 min 1 s before the end.\n',
    )
    expect(await backtest(4)).not.toContain('The position')
  })

  it('warns that a recording without depth fills no order', async () => {
    const file = besideRxjs()
    const prices = recordingText(header, priced(1_000, 100), priced(2_000, 101))
    const args = [file('market.ndjson', prices), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const { code, stdout, stderr } = await runInProcess(['backtest', ...args])
    expect(code).toBe(0)
    expect(stderr).toContain('the recording has no depth')
    expect(stdout).toContain('rejected  #1: no depth yet')
    const parameters = file('parameters.json', '[1]')
    const sweep = await runInProcess(['sweep', ...args, '--parameters', parameters, '--workers', '1'])
    expect(sweep.stderr).toContain('the recording has no depth, and')
  })

  it('names a token that has prices and no depth, and an assumed depth', async () => {
    const file = besideRxjs()
    const market = recordingText(
      { ...header, topics: ['svc-0xab', 'svc-0xcd'], mints: ['0xAB'], assumedDepth: '10' },
      bookAt(0),
      priced(1_000, 100),
    )
    const args = [file('market.ndjson', market), file('strategy.mjs', ofTwoTokens)]
    const parameters = ['--parameters', file('parameters.json', '[1]'), '--workers', '1']
    const report = file('report.html')
    for (const command of [
      ['backtest', ...args, '--report', report],
      ['sweep', ...args, ...parameters, '--report', report],
    ]) {
      const { stderr } = await runInProcess(command)
      expect(readFileSync(report, 'utf8')).toContain('Warning: the recording has no depth of OTHER')
      expect(stderr).toContain(
        'warning: the recording has no depth of OTHER, and without one no order is filled',
      )
      expect(stderr).toContain('note: The depth is not recorded: it is assumed to be 10 tokens on both sides')
    }
  })

  it('says what to do about a second copy of RxJS, with which timers would stay real', async () => {
    // The folder has an RxJS of its own, not that of this process.
    const file = inFolder()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const { code, stdout, stderr } = await runInProcess(['backtest', ...args])
    expect(stderr).toMatch(/^error: strategy: uses another copy of RxJS than svc-streams.*npm ls rxjs/)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  it('runs the strategy over a warm-up before --from, whose orders are not executed', async () => {
    const file = besideRxjs()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const flags = ['--from', new Date(at + 2_000).toISOString(), '--warm-up', '5s', '--json']
    const { stdout, stderr } = await runInProcess(['backtest', ...args, ...flags])
    expect(stderr).toMatch(/^warning: the data begin at \S+: the warm-up is 2 s, not 5 s\n$/)
    const [first = '', ...events] = stdout.trimEnd().split('\n')
    expect(first).toContain(`{"_tag":"Equity","at":${at + 2_000},"equityUsd":10000,`)
    const orders = events.filter((line) => /^\{"_tag":"(?:Filled|Rejected)"/.test(line))
    // The price of the warm-up is the first one: its purchase is not executed, and the second one is a sell.
    expect(orders.map((line) => /"side":"(\w+)"/.exec(line)?.[1])).toEqual(['sell', 'buy', 'sell'])
    expect(orders[0]).toContain('there is no position of ETH to sell')
    // Without --from, it is the start of the recording. The option of the module is that of the flag.
    const market = file('market.ndjson')
    const warmed = file(
      'warmed.mjs',
      strategy(2, '0xab', 'svc-0xab').replace('latency', 'warmUp: 2_000, latency'),
    )
    const byFlag = await runInProcess(['backtest', ...args, '--warm-up', '2s', '--json'])
    const byOption = await runInProcess(['backtest', market, warmed, '--json'])
    expect(byFlag.stdout).toContain(`"at":${at + 2_000}`)
    expect(byFlag.stdout).not.toContain(`"at":${at + 1_000}`)
    expect(byOption.stdout).toBe(byFlag.stdout)
  })

  it('says what is open at the end, and how long a run is whose figures are per year', async () => {
    const file = besideRxjs()
    const rows = Array.from({ length: 40 }, (_, minute) => [
      bookAt(60_000 * minute),
      priced(60_000 * minute, 100 + minute),
    ])
    const market = file('market.ndjson', recordingText({ ...header, mints: ['0xab'] }, ...rows.flat()))
    const orders = "from([market('ETH', 'buy', { units: 300n }), limit('ETH', 'buy', { units: 100n }, 1)])"
    const text = strategy(2, '0xab', 'svc-0xab')
      .replace("{ map } from 'rxjs'", "{ from, take, mergeMap } from 'rxjs'")
      .replace('{ market }', '{ limit, market }')
      .replace(/map\(\(\{ price \}.*\n/, `take(1), mergeMap(() => ${orders}),\n`)
    const args = ['backtest', market, file('strategy.mjs', text), '--report', file('report.html')]
    const { stdout, stderr } = await runInProcess(args)
    expect(stdout).toMatch(/\n\S+Z {2}account {2}9699\.70 USD in cash, 3 ETH\nprofitUsd/)
    const notes = [
      'Open at the end of the data: 1 order.',
      'The figures per year extrapolate 39 min to 365 days.',
    ]
    expect(stderr).toBe(notes.map((note) => `note: ${note}\n`).join(''))
    for (const note of notes) expect(readFileSync(file('report.html'), 'utf8')).toContain(note)
  })

  it('warns that no data of the tokens of the account counted', async () => {
    const file = besideRxjs()
    const market = file('market.ndjson', recording)
    const backtest = async (token: string, ...flags: readonly string[]) => {
      const module = file(`${token}.mjs`, strategy(2, token, `svc-${token}`))
      return runInProcess(['backtest', market, module, ...flags])
    }
    const warned = { code: 0, stderr: expect.stringContaining('no data of its tokens') as string }
    expect(await backtest('0xcd')).toMatchObject(warned)
    expect(await backtest('0xab', '--warm-up', '1d')).toMatchObject(warned)
    expect(await backtest('0xab')).toMatchObject({ code: 0, stderr: '' })
  })

  it('writes to no file that it reads, and no two results to one file', async () => {
    const file = besideRxjs()
    const market = file('market.ndjson', recording)
    const module = file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))
    symlinkSync(market, `${market}.link`)
    linkSync(market, `${market}.hard`)
    const backtest = async (...flags: readonly string[]) => {
      const { code, stderr } = await runInProcess(['backtest', market, module, ...flags])
      return [code, stderr.split('\n')[0]]
    }
    const problem = (flag: string, path: string, use: string) => [
      ...[2, `error: ${flag}: ${path} ${use}; choose another name`],
    ]
    for (const path of [market, `${market}.link`, `${market}.hard`, module])
      for (const flag of ['--trades', '--equity', '--report'])
        expect(await backtest(flag, path)).toEqual(problem(flag, path, 'is read by this command'))
    expect(readFileSync(market, 'utf8')).toBe(recording)
    const out = file('out.csv')
    expect(await backtest('--trades', out, '--equity', out)).toEqual(
      problem('--equity', out, 'is the file of --trades'),
    )
    expect(await backtest('--trades', devNull, '--equity', devNull)).toEqual([0, ''])
    const paths = [market, module, '--parameters', file('parameters.json', '[1]')]
    expect(await runInProcess(['sweep', ...paths, '--csv', file('parameters.json')])).toMatchObject({
      code: 2,
    })
    const kept = ['--journal', file('desk.ndjson'), '--report', file('desk.ndjson')]
    expect(await runInProcess(['paper', module, '--simulate', ...kept])).toMatchObject({ code: 2 })
  })

  it('fails if no row is between --from and --to', async () => {
    const file = besideRxjs()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const { code, stdout, stderr } = await runInProcess(['backtest', ...args, '--from', '2030-01-01'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'error: no event between --from and --to; the recording starts at 2026-11-21T10:00:00.000Z\n',
    )
  })

  it('prints each event as JSON, last the summary, for a parameter', async () => {
    const file = besideRxjs()
    const args = [file('market.ndjson', recording), file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const { code, stdout } = await runInProcess(['backtest', ...args, '--parameter', '200', '--json'])
    expect(code).toBe(0)
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly _tag: string })
    expect(lines.filter(({ _tag }) => _tag === 'Filled')).toHaveLength(4)
    expect(lines.find(({ _tag }) => _tag === 'Filled')).toMatchObject({ quantity: '200', valueUsd: 200 })
    expect(lines.at(-2)).toMatchObject({ _tag: 'Account', positions: [] })
    expect(lines.at(-1)).toMatchObject({ _tag: 'Summary', roundTrips: 2, turnoverUsd: 812 })
  })

  it('fails for a module without the exports, for invalid options, and for a damaged recording', async () => {
    const file = besideRxjs()
    const market = file('market.ndjson', recording)
    let count = 0
    const errorOf = async (text: string, content = recording): Promise<string> => {
      file('market.ndjson', content)
      const { code, stderr } = await runInProcess(['backtest', market, file(`strategy-${++count}.mjs`, text)])
      expect(code).toBe(1)
      return stderr
    }
    expect(await errorOf('export const options = {}')).toContain(
      'expected a function (client, parameter), or (client, account, parameter) beside an export options',
    )
    expect(await errorOf('export default () => 1')).toContain('expected an export with the name options')
    const valid = strategy(2, '0xab', 'svc-0xab')
    expect(await errorOf(valid.replace('feeBps', 'feBps'))).toContain('feBps: did you mean feeBps?')
    expect(await errorOf(valid, `${recording}{`)).toContain('#recordingerror')
  })
})

describe('a strategy of an account', () => {
  const files = (text: string, name = 'strategy.mjs'): readonly [string, string] => {
    const file = inFolder()
    return [file('market.ndjson', recording), file(name, text)]
  }

  it('gives the figures of each parameter in a sweep, also from CommonJS, without those of its warm-up', async () => {
    const paths = files(commonJs(strategy(2, '0xab', 'svc-0xab')), 'strategy.cjs')
    const parameters = inFolder()('parameters.json', '[100, 200]')
    const sweep = async (...flags: readonly string[]) => {
      const args = ['sweep', ...paths, '--parameters', parameters, '--json', ...flags]
      const { code, stdout, stderr } = await runCommand(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return stdout.trimEnd().split('\n')
    }
    const results = await sweep()
    expect(results[0]).toContain('"roundTrips":2,"winRate":1,')
    expect(results[1]).toContain('"feesUsd":0.81199')
    const from = new Date(at + 3_000).toISOString()
    const [warmed] = await sweep('--from', from, '--warm-up', '3s')
    expect(warmed).toContain('"roundTrips":1,')
  })

  it('is chosen by a figure of its summary in a walk-forward, whose page has its gaps and assumptions', async () => {
    const file = inFolder()
    const rows = Array.from({ length: 12 }, (_, index) => [
      bookAt(1_000 * index),
      priced(1_000 * index, 100 + index),
    ])
    const outage = left(disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 0 }))
    rows[6]!.push({ _tag: 'Price', at: at + 6_200, topic: 'svc-0xab', event: outage })
    const market = file('market.ndjson', recordingText({ ...header, mints: ['0xab'] }, ...rows.flat()))
    const paths = [market, file('strategy.mjs', strategy(2, '0xab', 'svc-0xab'))]
    const report = file('walk.html')
    const args = ['sweep', ...paths, '--parameters', file('parameters.json', '[100, 200]'), '--json']
    const flags = ['--walk-forward', '4s/4s', '--metric', 'profitUsd', '--report', report]
    const { code, stdout, stderr } = await runCommand([...args, ...flags])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^\{"_tag":"Right",.*"parameter":200,"values":\[\{"_tag":"Folded","summary":\{.*"roundTrips":2,.*"score":3\.1/,
    )
    const html = readFileSync(report, 'utf8').replaceAll(' class="number"', '')
    expect(html).toContain('<p>1 gap in the data, 0.8 s in all')
    expect(html).toContain('class="gaps" d="M')
    expect(html).toContain('Assumptions: tokens ETH, cash 10000,')
    expect(html).toContain(
      'The parameter of each test range of 4 s was chosen from 2 parameters on the 4 s before it.',
    )
    expect(html).toContain('download="test-ranges.csv"')
  })

  it('takes costs by flags, says which are missing, and which are usual', async () => {
    const text = strategy(2, '0xab', 'svc-0xab').replace('feeBps: 10, slippageBps: 0, latency: 0, ', '')
    const [market, module] = files(text)
    const missing = await runCommand(['backtest', market, module, '--fee-bps', '10'])
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/slippageBps: .* no default; usual: 1 to 5; flag: --slippage-bps/)
    const costs = ['--fee-bps', '10', '--latency', '0ms', '--slippage-bps', '0']
    const given = await runCommand(['backtest', market, module, ...costs])
    const [, complete] = files(strategy(2, '0xab', 'svc-0xab'))
    expect(given).toEqual(await runCommand(['backtest', market, complete]))
    const parameters = inFolder()('parameters.json', '[100]')
    const sweep = ['sweep', market, module, '--parameters', parameters, '--json']
    expect((await runCommand(sweep)).stderr).toMatch(/usual: .*; flag: --/)
    expect(await runCommand([...sweep, ...costs])).toMatchObject({ code: 0 })
  })

  it('fails once for invalid options, and writes to no journal of its options', async () => {
    const text = strategy(2, '0xab', 'svc-0xab')
    const [market, invalid] = files(text.replace('feeBps', 'feBps'))
    const parameters = inFolder()('parameters.json', '[100, 200]')
    const { code, stderr } = await runCommand(['sweep', market, invalid, '--parameters', parameters])
    expect(code).toBe(1)
    expect(stderr).toContain('feBps: did you mean feeBps?')
    const [, withJournal] = files(text.replace('cash:', "journal: '/dev/null/none', cash:"))
    expect((await runCommand(['backtest', market, withJournal])).stdout).toMatch(/^roundTrips +2$/m)
  })
})

describe('svc-streams paper', () => {
  it('continues from its journal after a stop, with the summary that a backtest of both recordings has', async () => {
    const file = inFolder()
    const weth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
    // Holds a position when it is stopped, and has no state of its own.
    const text = strategy(18, weth, `svc-${weth}`)
      .replace('index % 2 === 0', 'true')
      .replace('units = 100', 'units = 1e15')
      .replace('depthInterval: 500', 'depthInterval: 50, maxDepthAge: 200, sampleMs: 100')
    // Compiled to CommonJS for `paper`, `backtest` and `verify`.
    const module = file('strategy.cjs', commonJs(text))
    const journal = file('desk.ndjson')
    const idsOf = (text: string): readonly number[] =>
      [...text.matchAll(/"_tag":"Filled","id":"(\d+)"/g)].map(([, id]) => Number(id))
    const logs: string[] = []
    const stopAfter = async (fills: number, recording: string) => {
      const source = ['--simulate', '--metrics-port', '0']
      const files = ['--journal', journal, '--record', recording, '--report', file('paper.html')]
      const run = spawnNode([main(), 'paper', module, ...source, ...files, '--json'])
      await eventually(() => expect(idsOf(run.stdout).length).toBeGreaterThan(fills))
      const [, address] = /are at (\S+)\.\n/.exec(run.stderr) ?? []
      expect(await (await fetch(address ?? '')).text()).toContain('svc_streams_')
      run.process.kill('SIGINT')
      expect(await run.waitForExit()).toBe(0)
      logs.push(run.stderr)
      return run.stdout.trimEnd().split('\n')
    }
    const recordings = [file('first.ndjson'), file('second.ndjson')]
    const first = await stopAfter(1, recordings[0]!)
    const second = await stopAfter(0, recordings[1]!)
    const written = readFileSync(journal, 'utf8')
    expect(idsOf(written)).toEqual([...idsOf(first.join()), ...idsOf(second.join())])
    const { code, stdout } = await runCommand(['backtest', ...recordings, module, '--json'])
    expect(code).toBe(0)
    const replayed = stdout.trimEnd().split('\n')
    expect(second.at(-1)).toMatch(/^\{"_tag":"Summary"/)
    expect(logs[0]).not.toContain('Resumed')
    expect(logs[1]).toMatch(
      /Resumed from \S+desk\.ndjson, which ends at \S+Z: [\d.]+ USD in cash, [\d.]+ ETH, \d+ open orders?\.\n/,
    )
    expect(second.at(-1)).toBe(replayed.at(-1))
    const fillsOf = (lines: readonly string[]) => lines.filter((line) => line.startsWith('{"_tag":"Filled"'))
    expect(fillsOf(replayed)).toEqual(fillsOf([...first, ...second]))
    const page = readFileSync(file('paper.html'), 'utf8')
    expect(page).toContain('strategy.cjs on paper')
    expect(page).toContain('The assumptions are those of the last run')

    const owner = openJournalFile(journal)
    const locked = await runCommand(['paper', module, '--simulate', '--journal', journal])
    owner.close()
    expect(locked).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by process') as string })
    expect(locked.stderr).not.toContain('Resumed')

    // Each run is replayed from the account that the run before it left.
    const verify = (live: string) => runCommand(['verify', ...recordings, module, '--journal', live])
    const events = written.match(/^\{"_tag":"(?!Start|State)/gm)!.length
    const { stdout: equal, ...exit } = await verify(journal)
    expect(exit).toEqual({ code: 0, stderr: '' })
    // The last value and the account depend on when a run was stopped.
    const ends = 2 * 2
    expect(Number(/^equal: (\d+) values/.exec(equal)?.[1])).toBeGreaterThanOrEqual(events - ends)
    const ofFirst = await runCommand(['verify', recordings[0]!, module, '--journal', journal])
    expect(ofFirst).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('came after the end') as string,
    })
    const lines = written.split('\n')
    const lastFill = lines.findLastIndex((line) => line.startsWith('{"_tag":"Filled"'))
    const torn = [...lines.slice(0, lastFill + 1), '{"_tag":"Equ'].join('\n')
    expect(await verify(file('killed.ndjson', torn))).toMatchObject({ code: 0 })
    const other = lines.with(lastFill, lines[lastFill]!.replace(/"feeUsd":[^,]+/, '"feeUsd":7')).join('\n')
    const { code: failed, stdout: difference } = await verify(file('other.ndjson', other))
    expect(failed).toBe(1)
    expect(difference).toContain(`line ${lastFill + 1} of `)
    expect(difference).toMatch(/^ {2}live {4}\{.*"feeUsd":7/m)
    expect(difference).toMatch(/^ {2}replay {2}\{.*"feeUsd":0\.\d+/m)
    expect(difference).toContain('second.ndjson, line ')
    expect(difference).not.toContain('first.ndjson, line ')
  })

  it('warms the strategy by the history of a gateway, and drops the orders of that time', async () => {
    const file = besideRxjs()
    const market = manualMarket()
    const client = createClientFor(await startTestSimulator({ market }))
    const gateway = await startTestGateway(client, { history: { folder: newFolder(), topics: [ethTopic] } })
    const { events } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(events).toHaveLength(1))
    for (let price = 1; price <= 20; price++) {
      market.update({ price })
      await eventually(() => expect(events.at(-1)).toMatchObject({ right: { price } }))
    }
    // An order per event, whose number is that of the event.
    const module = file(
      'strategy.mjs',
      strategy(18, weth, ethTopic).replace(
        '{ units: BigInt(units) })',
        '{ units: BigInt(units) }, { id: `${index}` })',
      ),
    )
    const report = file('report.html')
    const flags = ['--warm-up', '1m', '--json', '--report', report]
    const args = ['paper', module, '--gateway', gateway.baseUrl, ...flags]
    const command = startInProcess(args)
    const ids = (): readonly number[] =>
      [...command.stdout.matchAll(/"id":"(\d+)"/g)].map(([, id]) => Number(id))
    let price = 20
    await eventually(() => {
      market.update({ price: ++price })
      expect(new Set(ids()).size).toBeGreaterThan(1)
    })
    const [first = 0, second] = new Set(ids())
    expect(first).toBeGreaterThan(20)
    expect(second).toBe(first + 1)
    command.process.kill('SIGINT')
    expect(await command.waitForExit()).toBe(0)
    expect(readFileSync(report, 'utf8')).toContain('warmUp 60000')
  })

  it('says that a gateway cannot be reached, and when it returns', async () => {
    const module = besideRxjs()('strategy.mjs', strategy(18, weth, ethTopic))
    const client = createClientFor(await startTestSimulator())
    const first = await startTestGateway(client)
    await first.close()
    const command = startInProcess(['paper', module, '--gateway', first.baseUrl])
    await eventually(() => {
      expect(command.stderr).toMatch(
        /^\S+Z No connection to the service: .*\. The account has no prices until it/m,
      )
      expect(command.stderr).toMatch(/^\S+Z Depth requests fail: no connection\. No order is filled without/m)
    })
    await startTestGateway(client, { port: Number(new URL(first.baseUrl).port) })
    await eventually(() => expect(command.stderr).toMatch(/^\S+Z The service has returned\.$/m))
  })

  const onUnix = skipIf(process.platform === 'win32', 'Windows has no limit of the size of a file')

  it('names the recording that a full disk ends', onUnix, async () => {
    const file = inFolder()
    const recording = file('market.ndjson')
    const args = [
      'paper',
      file('strategy.mjs', strategy(18, weth, ethTopic)),
      '--simulate',
      '--record',
      recording,
    ]
    const shell = ['sh', '-c', 'ulimit -f 2 && exec "$@"', 'sh'] as const
    const command = spawnCommand([...shell, process.execPath, main(), ...args])
    expect(await command.waitForExit()).toBe(1)
    expect(command.stderr).toMatch(/^error: --record: \S+market\.ndjson: write failed: .*#writeerror\n$/)
  })

  it('runs the example, in TypeScript', async () => {
    const file = inFolder()
    const module = file('strategy.ts', readFileSync('examples/cookbook/pairs.ts', 'utf8'))
    const parameter = JSON.stringify({ usd: 2_000, count: 4, entry: 0.1 })
    const command = spawnNode([...[main(), 'paper', module, '--simulate', '--parameter', parameter]])
    await eventually(() => expect(command.stdout).toMatch(/ (?:buy|sell) .* ETH at /))
    command.process.kill('SIGINT')
    expect(await command.waitForExit()).toBe(0)
    expect(command.stderr).toBe('')
  })
})
