import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { lastValueFrom, merge, toArray } from 'rxjs'
import { renderError } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { journalEvents, paper, type PaperEvent } from 'svc-streams/paper'
import { replay } from 'svc-streams/recording'
import { expect, inject, test } from 'vitest'
import { givenMarket, options, steps, timed, tokens } from '../backtest/account/support/random-inputs.js'
import {
  down,
  errorRow,
  header,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../backtest/recording/support/recordings.js'
import { runInProcess } from '../cli/support/in-process.js'
import { newFolder } from '../support/new-folder.js'
import { pathOf } from '../support/process/program.js'
import { caseCount } from '../support/run/long.js'
import { weth } from '../support/tokens.js'

// zzuf: files with flipped bits.

const counts = Array.from({ length: 200 }, (_, index) => index)

const recording = Buffer.from(
  recordingText(
    header,
    ...counts.map((at) =>
      at % 50 === 49 ? errorRow(at * 100, down) : priceRow(at * 100, 2_000 + at / 8, at % 3 ? topic : other),
    ),
  ),
)

const prices = counts.map((at) => ({ at: start + at * 1_000, price: 2_000 + at / 8 }))
const csv = Buffer.from(`time,price\n${prices.map(({ at, price }) => `${at},${price}`).join('\n')}\n`)
const parquet = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'time', data: prices.map(({ at }) => new Date(at)), type: 'TIMESTAMP' },
      { name: 'price', data: prices.map(({ price }) => price), type: 'DOUBLE' },
    ],
  }),
)

/** Calls `read` with the path of each mutant of a file, and names the seed with which it fails. */
const forEachMutant = async (
  name: string,
  original: Uint8Array,
  read: (path: string) => Promise<void>,
): Promise<void> => {
  const folder = newFolder()
  const path = join(folder, name)
  const first = inject('seed')
  writeFileSync(path, original)
  await read(path)
  for (let seed = first; seed < first + caseCount(400); seed++) {
    // From one bit of the file to one in a hundred.
    writeFileSync(
      path,
      execFileSync(pathOf('zzuf'), ['-s', String(seed), '-r', '0.00002:0.01'], { input: original }),
    )
    await read(path).catch((error: unknown) => {
      throw new Error(`zzuf -s ${seed} -r 0.00002:0.01 < ${name}`, { cause: error })
    })
  }
}

const lineOf = (lines: number) => ({
  asymmetricMatch: (line: unknown) =>
    Number.isInteger(line) && Number(line) >= 1 && Number(line) <= lines + 1,
})

const eventsOf = async (path: string) => {
  const client = replay(path, { speed: Infinity })
  const events = await lastValueFrom(merge(client.price$(topic), client.price$(other)).pipe(toArray()))
  return { events, result: await client.finished }
}

test.each([
  ['market.ndjson', recording],
  ['market.ndjson.gz', gzipSync(recording)],
])('a replay of a mutated %s ends with a result, or names the line', async (name, original) => {
  let whole: unknown
  await forEachMutant(name, original, async (path) => {
    const { events, result } = await eventsOf(path)
    whole ??= events
    if (isLeft(result)) {
      expect(result.left).toMatchObject({ _tag: 'RecordingError', line: lineOf(counts.length + 1) })
      expect(renderError(result.left)).toMatch(/^RecordingError: /)
    } else if (name.endsWith('.gz')) expect(events).toEqual(whole)
    const past = await lastValueFrom(openHistory([path]).prices$(topic, { from: start }).pipe(toArray()))
    const tags = past.filter(isLeft).map(({ left }) => left._tag)
    expect(['RecordingError', 'UnknownTopic', undefined]).toContain(tags[0])
  })
})

const account = { tokens, cash: 1_000, feeBps: 10, slippageBps: 5, latency: 100 }

/** Writes the journal of an account with random inputs. */
const writeJournal = (path: string): Uint8Array => {
  const [inputs, of] = fc.sample(fc.tuple(fc.array(steps, { minLength: 5, maxLength: 5 }), options), 1)[0]!
  const { client, order$, give } = givenMarket()
  const run = paper(client, () => order$, { tokens, ...of, journal: path }).subscribe()
  for (const input of timed(inputs.flat())) give(input)
  run.unsubscribe()
  return readFileSync(path)
}

test('a mutated journal of an account has events or names the line, and the next run starts or has a WriteError', async () => {
  const journal = writeJournal(join(newFolder(), 'journal.ndjson'))
  await forEachMutant('journal.ndjson', journal, async (path) => {
    const events = await journalEvents(path)()
    const { client, order$ } = givenMarket()
    const emitted: PaperEvent[] = []
    const run = paper(client, () => order$, { ...account, journal: path }).subscribe((event) =>
      emitted.push(event),
    )
    run.unsubscribe()
    expect(
      emitted.filter(({ _tag }) => _tag !== 'WriteError' && _tag !== 'Account' && _tag !== 'Equity'),
    ).toEqual([])
    if (isLeft(events)) expect(events.left).toMatchObject({ _tag: 'RecordingError', line: lineOf(1e5) })
  })
})

test.each([
  ['prices.csv', csv],
  ['prices.csv.gz', gzipSync(csv)],
  ['prices.parquet', parquet],
  ['prices.parquet.gz', gzipSync(parquet)],
])('an import of a mutated %s writes a recording, or says why not', async (name, original) => {
  let whole: string | undefined
  await forEachMutant(name, original, async (path) => {
    const out = `${path}.ndjson`
    const { code, stderr } = await runInProcess(['import', path, '--token', weth, '--yes', '--out', out])
    expect(stderr).not.toMatch(/undefined|\bat \w+ \(|TypeError|RangeError|is not a function|Cannot read/)
    if (code !== 0) expect(stderr).toMatch(/^error: /m)
    expect(existsSync(out)).toBe(code === 0)
    if (code !== 0) return
    const written = readFileSync(out, 'utf8')
    rmSync(out)
    whole ??= written
    if (name.endsWith('.gz')) expect(written).toBe(whole)
    expect(await eventsOf(out)).toBeDefined()
  })
})
