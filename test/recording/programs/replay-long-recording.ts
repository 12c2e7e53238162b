// Replays a long recording. Prints the heap size after each tenth of it, in bytes.
import { count, lastValueFrom } from 'rxjs'
import { candles, freshWithin } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'

const rows = 200_000
const tenthOfRows = rows / 10
const header = { _tag: 'Recording', version: 1, at: 0, topics: ['svc-0xab'], mints: [], interval: 1000 }

const heap: number[] = []

function* chunks() {
  yield `${JSON.stringify(header)}\n`
  for (let from = 0; from < rows; from += 100) {
    if (from % tenthOfRows === 0) {
      globalThis.gc?.()
      heap.push(process.memoryUsage().heapUsed)
    }
    yield Array.from({ length: 100 }, (_, n) => line((from + n) * 20)).join('')
  }
}

const line = (at: number): string =>
  `{"_tag":"Price","at":${at},"topic":"svc-0xab","event":{"_tag":"Right","right":` +
  `{"topic":"svc-0xab","price":${1 + (at % 977)},"receivedAt":${at},"epoch":1}}}\n`

const client = replay(chunks(), { speed: Infinity })
const total = await lastValueFrom(
  client.run$(({ price$ }) => price$('svc-0xab').pipe(freshWithin(3_600_000), candles(60_000), count())),
)
console.log(JSON.stringify({ candles: total, heap, finished: await client.finished }))
