import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient, defineTokens, type Client } from 'svc-streams'
import { candles, rights } from 'svc-streams/operators'
import { market, paper, type MarketClient } from 'svc-streams/paper'
import { journal, record, replay, writeRecording } from 'svc-streams/recording'
import { lastValueFrom, map, of, type Observable } from 'rxjs'
import { expect, test } from 'vitest'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { moduleFolder } from '../../backtest/sweep/support/run-sweep.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { startTestSimulator } from '../../support/simulator.js'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { at, header, priced } from '../support/recording.js'

/** The command as it is installed: its packages are those of the strategy. */
const runCommand = async (args: readonly string[]) => {
  const command = spawnNode([compiledPath('dist/cli/main.js'), ...args])
  const code = await command.waitForExit()
  return { code, stdout: command.stdout, stderr: command.stderr }
}

const prices = Array.from({ length: 6 }, (_, index) => priced(index * 1000, 100 + index))

const doubled = `
import { map } from 'rxjs'
import { rights } from 'svc-streams/operators'
export default (client, factor = 2) => client.price$('svc-0xab').pipe(rights(), map(({ price }) => ({ order: BigInt(price) * BigInt(factor) })))`

const journalText = (...values: readonly unknown[]): string =>
  values.map((value, index) => `${JSON.stringify({ at: at + index * 1000, value })}\n`).join('')

const orders = (...values: readonly number[]) => values.map((order) => ({ order: String(order) }))

/** Runs the command over 6 prices, 100 to 105. */
const verify = (journalContent: string, ...flags: readonly string[]) =>
  verifyStrategy(doubled, journalContent, ...flags)

const verifyStrategy = async (strategy: string, journalContent: string, ...flags: readonly string[]) => {
  const folder = moduleFolder()
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const result = await runCommand([
    ...['verify', file('market.ndjson', recordingText(header, ...prices)), file('strategy.mjs', strategy)],
    ...['--journal', file('live.ndjson', journalContent), ...flags],
  ])
  return {
    ...result,
    stdout: result.stdout.replaceAll(`${folder}/`, ''),
    stderr: result.stderr.replaceAll(`${folder}/`, ''),
  }
}

test('finds no difference between equal values, whatever the live run has not given any more', async () => {
  const all = journalText(...orders(200, 202, 204, 206, 208, 210))
  expect(await verify(all)).toEqual({ code: 0, stdout: 'equal: 6 values\n', stderr: '' })
  const killed = `${journalText(...orders(200, 202))}{"at":1795`
  expect(await verify(killed)).toEqual({
    code: 0,
    stdout: 'equal: 2 values; the replay has 4 more, after the last one that was compared\n',
    stderr: '',
  })
  expect(await verify(killed, '--json')).toMatchObject({
    code: 0,
    stdout: '{"_tag":"Equal","values":2,"afterEnd":0,"later":4}\n',
  })
  expect(await verify(journalText(...orders(300, 303)), '--parameter', '3')).toMatchObject({ code: 0 })
})

test('prints the first difference, and the lines of the recording before it', async () => {
  const { code, stdout, stderr } = await verify(journalText(...orders(200, 202, 999, 206)))
  expect(code).toBe(1)
  expect(stderr).toBe('error: the replay differs from the live run at value 3\n')
  expect(stdout).toContain('value 3, line 3 of live.ndjson, ')
  expect(stdout).toContain('  live    {"order":"999"}\n  replay  {"order":"204"}\n')
  expect(stdout.match(/market\.ndjson, line \d+/g)).toEqual(
    [2, 3, 4].map((line) => `market.ndjson, line ${line}`),
  )
})

test('numbers the lines of a part of a large recording from the start of the file', async () => {
  const folder = moduleFolder()
  const [recording, strategy, live] = ['market.ndjson', 'strategy.mjs', 'live.ndjson'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const rows = Array.from({ length: 5000 }, (_, index) => priced(index * 1000, 1 + index))
  writeFileSync(recording, recordingText(header, ...rows))
  writeFileSync(strategy, doubled)
  writeFileSync(live, journalText(...orders(8002, 8004, 1)))
  const args = ['verify', recording, strategy, '--journal', live, '--from', String(at + 4_000_000)]
  const { stdout } = await runCommand(args)
  expect(stdout.match(/market\.ndjson, line \d+/g)).toEqual(
    [4002, 4003, 4004].map((line) => `market.ndjson, line ${line}`),
  )
})

test('reports values that the replay does not have', async () => {
  const all = journalText(...orders(200, 202, 204, 206, 208, 210))
  const { code, stdout } = await verify(all + journalText(...orders(212)))
  expect(code).toBe(1)
  expect(stdout).toContain('  live    {"order":"212"}\n  replay  the stream completes\n')
  const afterEnd = journalText(...orders(200, 202, 204, 206, 208, 210, 212))
  expect(await verify(afterEnd)).toMatchObject({
    code: 0,
    stdout: 'equal: 6 values; 1 came after the end of the recordings and were not compared\n',
  })
})

test('reports a strategy that completes, though the recordings have the data of later values', async () => {
  const strategy = doubled.replace('rights(),', 'rights(), take(3),').replace('{ map }', '{ map, take }')
  const all = journalText(...orders(200, 202, 204, 206, 208, 210))
  const { code, stdout, stderr } = await verifyStrategy(strategy, all)
  expect(stdout).toContain('value 4, line 4 of live.ndjson, ')
  expect(stdout).toContain('  live    {"order":"206"}\n  replay  the stream completes\n')
  expect(stdout.match(/market\.ndjson, line \d+/g)).toEqual(
    [2, 3, 4].map((line) => `market.ndjson, line ${line}`),
  )
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: the replay differs from the live run at value 4\n',
  })
})

test('does not compare what a strategy emits at the end of the recordings, where the live run went on', async () => {
  const strategy = doubled
    .replace('rights(),', 'rights(), endWith({ price: 0 }),')
    .replace('{ map }', '{ endWith, map }')
  const values = [200, 202, 204, 206, 208, 210]
  expect(await verifyStrategy(strategy, journalText(...orders(...values, 212, 214)))).toMatchObject({
    code: 0,
    stdout: 'equal: 6 values; 2 came after the end of the recordings and were not compared\n',
  })
  const failing =
    doubled.replace('({ price }) =>', '({ price }, index) => index === 5 ? raise() :') +
    '\nconst raise = () => { throw new Error("no") }'
  const { code, stdout } = await verifyStrategy(
    failing,
    journalText(...orders(...values)).replace(String(at + 5000), String(at + 5001)),
  )
  expect(code).toBe(1)
  expect(stdout).toContain('  replay  the stream fails: no\n')
})

test.each([
  ['NaN', NaN, 'null'],
  ['Infinity', Infinity, 'null'],
  ['-0', -0, '0'],
  ['new Map([[1, 2]])', new Map([[1, 2]]), '{}'],
  ['new Set([1])', new Set([1]), '{}'],
])('distinguishes %s from what JSON has for it', async (live, value, other) => {
  const strategy = (text: string): string => `
    import { take, map } from 'rxjs'
    export default (client) => client.price$('svc-0xab').pipe(take(1), map(() => ({ value: ${text} })))`
  const path = join(moduleFolder(), 'live.ndjson')
  await lastValueFrom(of({ value }).pipe(journal(path)))
  const text = readFileSync(path, 'utf8')
  expect(await verifyStrategy(strategy(live), text)).toMatchObject({ code: 0 })
  expect(await verifyStrategy(strategy(other), text)).toMatchObject({ code: 1 })
})

test.each([
  ['no line', '', 'the journal has no value to compare'],
  ['a line that is none of a journal', '{"at":1}\n', 'live.ndjson, line 1: expected a line like {"at":'],
  ['text', 'text\n', 'live.ndjson, line 1: expected a line like {"at":'],
])('fails for a journal with %s', async (_, content, problem) => {
  const { code, stderr } = await verify(content)
  expect(code).toBe(1)
  expect(stderr).toContain(problem)
})

test('plays the recording from the time at which the strategy was started', async () => {
  const from = new Date(at + 2000).toISOString()
  expect(await verify(journalText(...orders(204, 206, 208, 210)), '--from', from)).toMatchObject({ code: 0 })
})

/** Two runs of an account, of six events each, and a day apart, with their recordings. */
const twoRuns = async (options = '{ tokens, cash: 100, feeBps: 1, slippageBps: 1, latency: 0 }') => {
  const folder = moduleFolder()
  const path = (name: string) => join(folder, name)
  const tokens = defineTokens({ X: { address: weth, decimals: 18 } })
  const module = `
    import { map } from 'rxjs'
    import { defineTokens } from 'svc-streams'
    import { rights } from 'svc-streams/operators'
    import { market } from 'svc-streams/paper'
    const tokens = defineTokens({ X: { address: '${weth}', decimals: 18 } })
    export const options = ${options}
    export default (client) =>
      client.price$('${ethTopic}').pipe(rights(), map(() => market('X', 'buy', { usd: 1 })))`
  writeFileSync(path('strategy.mjs'), module)
  for (const [day, name] of ['monday.ndjson', 'tuesday.ndjson'].entries()) {
    const rows = [0, 1, 2].map((second) => ({
      at: at + day * 86_400_000 + second * 1000,
      topic: ethTopic,
      price: 100 + second,
    }))
    await writeRecording(rows, path(name))()
    const costs = { cash: 100, feeBps: 1, slippageBps: 1, latency: 0, journal: path('desk.ndjson') }
    const order$ = ({ price$ }: MarketClient) =>
      price$(ethTopic).pipe(
        rights(),
        map(() => market('X', 'buy', { usd: 1 })),
      )
    // A copy of the client has no terms of a replay, so that the account writes its journal.
    await lastValueFrom(
      replay(path(name), { speed: Infinity }).run$(({ price$, depth$ }) =>
        paper({ price$, depth$ }, order$, { tokens, ...costs }),
      ),
    )
  }
  const files = ['monday.ndjson', 'tuesday.ndjson', 'strategy.mjs'].map(path)
  return {
    monday: path('monday.ndjson'),
    verify: (...flags: readonly string[]) =>
      runCommand(['verify', ...files, '--journal', path('desk.ndjson'), ...flags]),
  }
}

const equalText = (values: number, rest = '') => ({
  code: 0,
  stdout: expect.stringMatching(`^equal: ${values} values${rest}`) as string,
})

test('--from and --to leave out the runs of an account that they do not contain', async () => {
  const runs = await twoRuns()
  const tuesday = new Date(at + 86_400_000).toISOString()
  expect(await runs.verify()).toMatchObject(equalText(12))
  expect(await runs.verify('--from', tuesday)).toMatchObject(equalText(6))
  const after = '; 6 came after the end of the recordings'
  expect(await runs.verify('--to', tuesday)).toMatchObject(equalText(6, after))
})

test('takes the costs that the live run had as flags', async () => {
  const runs = await twoRuns('{ tokens, cash: 100, latency: 1_500 }')
  expect(await runs.verify()).toMatchObject({ code: 1 })
  const costs = ['--fee-bps', '1', '--slippage-bps', '1']
  expect(await runs.verify(...costs)).toMatchObject({ code: 1 })
  expect(await runs.verify(...costs, '--latency', '0ms')).toMatchObject(equalText(12))
})

test('does not compare what came after the end of a recording that is followed by that of the next run', async () => {
  const { monday, verify: verifyRuns } = await twoRuns()
  // Its recorder was killed before its account.
  writeFileSync(monday, readFileSync(monday, 'utf8').replace(/.*\n$/, ''))
  expect(await verifyRuns()).toMatchObject(equalText(10, '; 2 came after the end of the recordings'))
})

test('takes the late timers of a live account for no difference, but another time of a decision', async () => {
  const folder = moduleFolder()
  const path = (name: string) => join(folder, name)
  const tokens = defineTokens({ X: { address: weth, decimals: 18 } })
  const costs = { cash: 100, feeBps: 1, slippageBps: 1, latency: 20, depthInterval: 50 }
  writeFileSync(
    path('strategy.mjs'),
    `import { map } from 'rxjs'
     import { defineTokens } from 'svc-streams'
     import { candles, rights } from 'svc-streams/operators'
     import { market } from 'svc-streams/paper'
     const tokens = defineTokens({ X: { address: '${weth}', decimals: 18 } })
     export const options = { tokens, ...${JSON.stringify(costs)} }
     export default ({ price$ }) => price$('${ethTopic}').pipe(
       candles(50), rights(), map((_, i) => market('X', i % 2 === 0 ? 'buy' : 'sell', { usd: 1 })))`,
  )
  const order$ = ({ price$ }: MarketClient) =>
    price$(ethTopic).pipe(
      candles(50),
      rights(),
      map((_, index) => market('X', index % 2 === 0 ? 'buy' : 'sell', { usd: 1 })),
    )
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', ...(await startTestSimulator({ tick: 10 })) }),
  )
  const recorded = { topics: [ethTopic], mints: [weth], interval: 50, to: path('market.ndjson') } as const
  const recorder = record(client, recorded)
  const live = path('desk.ndjson')
  paper(client, order$, { tokens, ...costs, journal: live }).subscribe()
  const filled = () => readFileSync(live, 'utf8').match(/"_tag":"Filled"/g)?.length ?? 0
  await eventually(() => filled() >= 10)
  await client.close()
  await recorder.finished
  const verifyLive = () =>
    runCommand(['verify', path('market.ndjson'), path('strategy.mjs'), '--journal', live])
  const result = await verifyLive()
  expect(result, result.stdout).toMatchObject({ code: 0, stderr: '' })
  const later = (_: string, before: string, decidedAt: string) => `${before}${Number(decidedAt) + 1_000}`
  const text = readFileSync(live, 'utf8')
  writeFileSync(live, text.replace(/("_tag":"Filled".*?"decidedAt":)(\d+)/, later))
  expect(await verifyLive()).toMatchObject({ code: 1 })
})

test('finds no difference between a live run over real sockets and its recording', async () => {
  const folder = moduleFolder()
  const [market, strategyFile, live] = ['market.ndjson', 'strategy.mjs', 'live.ndjson'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(
    strategyFile,
    `import { isLeft } from 'fp-ts/lib/Either.js'
     import { map, scan } from 'rxjs'
     import { rolling } from 'svc-streams/operators'
     export default (client) => client.price$('${ethTopic}').pipe(
       map((event) => isLeft(event) ? event : { _tag: 'Right', right: event.right.price }),
       rolling({ count: 5 }),
       scan((all, event) => ({ events: all.events + 1, event }), { events: 0 }),
       map(({ events, event }) => [events, isLeft(event) ? event.left._tag : event.right]),
     )`,
  )
  const { default: strategy$ } = (await import(pathToFileURL(strategyFile).href)) as {
    readonly default: (client: Client) => Observable<unknown>
  }
  const simulator = await startTestSimulator()
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', ...simulator, reconnect: { initialDelay: 5, maxDelay: 5 } }),
  )
  const recorder = record(client, { topics: [ethTopic], to: market })
  const running = strategy$(client).pipe(journal(live)).subscribe()
  const lines = () => readFileSync(live, 'utf8').split('\n').length
  await eventually(() => lines() > 5)
  simulator.dropConnections()
  await eventually(() => readFileSync(live, 'utf8').includes('Disconnected'))
  const before = lines()
  await eventually(() => lines() > before + 5)
  running.unsubscribe()
  await recorder.stop()
  const result = await runCommand(['verify', market, strategyFile, '--journal', live])
  expect(result, result.stdout).toMatchObject({ code: 0, stderr: '' })
  appendFileSync(live, `${JSON.stringify({ at: 1, value: 'another value' })}\n`)
  expect(await runCommand(['verify', market, strategyFile, '--journal', live])).toMatchObject({ code: 1 })
})
