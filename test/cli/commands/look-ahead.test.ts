import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { moduleFolder } from '../../backtest/sweep/support/run-sweep.js'
import { eventually } from '../../support/time/eventually.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'
import { runInProcess } from '../support/in-process.js'
import { header, priced } from '../support/recording.js'

/** A recording of 12 rows, one a second, with an empty line behind the header: row 0 is line 3. */
const prices = Array.from({ length: 12 }, (_, index) => priced(index * 1000, 100 + index))

const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = moduleFolder()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const market = `${recordingText(header)}\n${recordingText(...prices)}`

/** Runs the command in a folder with a recording and a strategy. */
const lookAhead = async (strategy: string, ...flags: readonly string[]) => {
  const folder = folderWith({ 'market.ndjson': market, 'strategy.mjs': strategy })
  const paths = ['market.ndjson', 'strategy.mjs'].map((name) => join(folder, name))
  const result = await runCommand(['look-ahead', ...paths, ...flags])
  return { ...result, stdout: result.stdout.replaceAll(`${folder}/`, '') }
}

const imports = `
import { map, scan } from 'rxjs'
import { rights } from 'svc-streams/operators'
`

/** Emits an order for each price. A price changes the order of `distance` prices before it. */
const changingOrder = (distance: number) => `${imports}
const orders = []
export default (client) => client.price$('svc-0xab').pipe(rights(), map(({ price }, index) => {
  if (index >= ${distance}) orders[index - ${distance}].action = 'sell'
  return (orders[index] = { price, action: 'wait' })
}))`

/** Appends the thread of each run to a file, and keeps a state in its module. `state` is kept elsewhere. */
const writingThread = (state: string) => `${imports}
  import { appendFileSync } from 'node:fs'
  import { threadId } from 'node:worker_threads'
  let sum = 0
  export default (client, { factor, threads }) => {
    appendFileSync(threads, threadId + '\\n')
    return client.price$('svc-0xab').pipe(rights(), map(({ price }) => [(sum += factor * price), ${state}]))
  }`

/** Compares the strategy over 4 prefixes with one worker. Returns the number of runs of each thread, in ascending order. */
const runsByThread = async (state: string): Promise<readonly number[]> => {
  const threads = join(moduleFolder(), 'threads.txt')
  const parameter = JSON.stringify({ factor: 5, threads })
  const flags = ['--parameter', parameter, '--prefixes', '4', '--workers', '1']
  expect(await lookAhead(writingThread(state), ...flags)).toEqual({
    code: 0,
    stdout: 'equal: 12 outputs, over 4 prefixes of the recording\n',
    stderr: '',
  })
  const lines = readFileSync(threads, 'utf8').trim().split('\n')
  const runs = [...new Set(lines)].map((thread) => lines.filter((line) => line === thread).length)
  return runs.sort((a, b) => a - b)
}

test('a recording that cannot be read to its end is an error, also if the strategy ends before that', async () => {
  const folder = folderWith({
    'strategy.mjs': `import { take } from 'rxjs'
      export default (client) => client.price$('svc-0xab').pipe(take(1))`,
    'market.ndjson': market,
    'cut.ndjson': market.slice(0, -20),
    'cut.ndjson.gz': gzipSync(market).subarray(0, -20),
    'empty.ndjson': '',
  })
  const module = join(folder, 'strategy.mjs')
  for (const name of ['cut.ndjson', 'cut.ndjson.gz', 'empty.ndjson', 'missing.ndjson', '.']) {
    const path = join(folder, name)
    const result = await runInProcess(['look-ahead', join(folder, 'market.ndjson'), path, module])
    expect(result).toMatchObject({ code: 1, stdout: '' })
    expect(result.stderr).toContain('#recordingerror')
  }
})

test('a recording without an event is an error', async () => {
  const folder = folderWith({ 'strategy.mjs': '', 'market.ndjson': market.split('\n').slice(0, 1).join('') })
  const result = await runInProcess([
    'look-ahead',
    join(folder, 'market.ndjson'),
    join(folder, 'strategy.mjs'),
  ])
  expect(result).toMatchObject({ code: 1, stdout: '' })
  expect(result.stderr).toContain('error: no event after the header of the recording')
})

test('a strategy that keeps a state in its module has equal outputs over prefixes that share a thread', async () => {
  expect(await runsByThread('0')).toEqual([1, 1, 4])
})

test('a strategy that keeps a state elsewhere has equal outputs over prefixes in threads of their own', async () => {
  const runs = await runsByThread('globalThis.count = (globalThis.count ?? 0) + 1')
  const together = runs.at(-1)
  expect(runs).toEqual([1, 1, 1, 1, 1, together])
  // The second run of the shared thread differs. It may begin the others before it is terminated.
  expect(together).toBeGreaterThanOrEqual(2)
  expect(together).toBeLessThanOrEqual(4)
})

test('a strategy that changes an emitted value at the next row looks ahead', async () => {
  expect(await lookAhead(changingOrder(1), '--prefixes', '2')).toEqual({
    code: 1,
    stdout: `\
output of   line 3 of market.ndjson, 2026-11-21T10:00:00.000Z
changed by  line 4 of market.ndjson, 2026-11-21T10:00:01.000Z
without it  {"price":100,"action":"wait"}
with it     {"price":100,"action":"sell"}
`,
    stderr: 'error: the strategy looks ahead: an output changes with a later line\n',
  })
})

test('finds the row that is several rows ahead, over several compressed files', async () => {
  const compressed = (...rows: typeof prices) => gzipSync(recordingText(header, ...rows))
  const folder = folderWith({
    'a.ndjson.gz': compressed(...prices.slice(0, 6)),
    'b.ndjson.gz': compressed(...prices.slice(6)),
    'strategy.mjs': changingOrder(8),
  })
  const files = ['a.ndjson.gz', 'b.ndjson.gz', 'strategy.mjs'].map((name) => join(folder, name))
  const { code, stdout } = await runCommand(['look-ahead', ...files, '--prefixes', '3', '--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    _tag: 'LookAhead',
    output: { source: files[0], line: 2, at: header.at },
    changedBy: { source: files[1], line: 4, at: header.at + 8_000 },
    before: { _tag: 'Value', value: { price: 100, action: 'wait' } },
    after: { _tag: 'Value', value: { price: 100, action: 'sell' } },
  })
})

test('does not limit the rows that a strategy reads from the files of the recording by itself', async () => {
  const reading = `${imports}
    import { readFileSync } from 'node:fs'
    const rows = readFileSync(new URL('market.ndjson', import.meta.url), 'utf8').trim().split('\\n')
    export default (client) => client.price$('svc-0xab').pipe(map(() => rows.length))`
  expect(await lookAhead(reading, '--prefixes', '2')).toEqual({
    code: 0,
    stdout: 'equal: 12 outputs, over 2 prefixes of the recording\n',
    stderr: '',
  })
})

test('a strategy that gives other outputs in a second run is not deterministic', async () => {
  const random = `${imports}
    export default (client) => client.price$('svc-0xab').pipe(map(() => Math.random()))`
  const { code, stdout, stderr } = await lookAhead(random)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^first run {3}after 2 lines: 0\.\d+\nsecond run {2}after 2 lines: 0\.\d+\n$/)
  expect(stderr).toBe('error: the strategy is not deterministic: two runs over the same 13 lines differ\n')
})

test.each([
  [
    'fails',
    `throw new RangeError('no depth')`,
    'the stream fails: RangeError: no depth\n',
    /^error: the strategy fails at line 1 of .*market\.ndjson, 2026/,
  ],
  [
    'emits only a sum at the end',
    `return client.price$('svc-0xab').pipe(scan((sum) => sum + 1, 0), takeLast(1))`,
    'no output\n',
    /^error: the strategy emits no value before the end of the recording/,
  ],
])('a strategy that %s has no outputs to compare', async (_, body, output, message) => {
  const text = `${imports}\nimport { takeLast } from 'rxjs'\nexport default (client) => { ${body} }`
  const { code, stdout, stderr } = await lookAhead(text)
  expect([code, stdout]).toEqual([1, output])
  expect(stderr).toMatch(message)
})

test('Ctrl-C ends the threads and the command, which has no result', async () => {
  const folder = folderWith({
    'market.ndjson': market,
    'strategy.mjs': `console.log('imported'); export default () => { for (;;); }`,
  })
  const paths = ['market.ndjson', 'strategy.mjs'].map((name) => join(folder, name))
  const command = startCommand(commandLine('look-ahead', ...paths))
  await eventually(() => command.stdout.includes('imported'))
  command.process.kill('SIGINT')
  expect(await command.waitForExit()).toBe(1)
  expect(command.stderr).toBe('error: stopped: the comparison has not ended\n')
  expect(existsSync(join(folder, 'market.ndjson'))).toBe(true)
})

test.each<[string, readonly string[], number, string]>([
  ['without a strategy', ['market.ndjson'], 2, 'give a recording, and after it the module of the strategy'],
  ['for standard input', ['-', 'strategy.mjs'], 2, '-: each worker thread reads the recording'],
  [
    'for a parameter that is not JSON',
    ['a', 'b', '--parameter', '{window}'],
    2,
    '--parameter: expected JSON: ',
  ],
  ['for no prefix', ['a', 'b', '--prefixes', '0'], 2, 'Give a whole number from 1 to 1000000.'],
  ['for a missing strategy', ['a', 'no.js'], 1, 'no.js: the module of the strategy does not exist'],
])('fails %s', async (_, args, code, message) => {
  const result = await runInProcess(['look-ahead', ...args])
  expect(result.stderr).toContain(message)
  expect(result.code).toBe(code)
})
