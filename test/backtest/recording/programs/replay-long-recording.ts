// Replays a recording of the given number of rows. Prints the memory before each tenth of it and at its end, in bytes, then
// the result. Each is one line of JSON.
import { count, lastValueFrom } from 'rxjs'
import { candles, freshWithin } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'

const rows = Number(process.argv[2])
const tenthOfRows = rows / 10
const start = 1_745_462_597_000
const header = { _tag: 'Recording', version: 1, at: start, topics: ['svc-0xab'], mints: [], interval: 1000 }

const print = (result: unknown): void => console.log(JSON.stringify(result))

const printMemory = (): void => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  print({ heapUsed, rss })
}

function* chunks() {
  yield `${JSON.stringify(header)}\n`
  for (let from = 0; from < rows; from += 100) {
    if (from % tenthOfRows === 0) printMemory()
    yield Array.from({ length: 100 }, (_, n) => line(start + (from + n) * 20)).join('')
  }
  printMemory()
}

const line = (at: number): string =>
  `{"_tag":"Price","at":${at},"topic":"svc-0xab","event":{"_tag":"Right","right":` +
  `{"topic":"svc-0xab","price":${1 + (at % 977)},"receivedAt":${at},"epoch":1}}}\n`

const client = replay(chunks(), { speed: Infinity })
const total = await lastValueFrom(
  client.run$(({ price$ }) => price$('svc-0xab').pipe(freshWithin(3_600_000), candles(60_000), count())),
)
print({ candles: total, finished: await client.finished })
