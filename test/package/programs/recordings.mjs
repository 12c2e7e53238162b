import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, map, NEVER, of, take, toArray } from 'rxjs'
import { rights } from 'svc-streams/operators'
import { record, replay } from 'svc-streams/recording'
import { createTestClient, price } from 'svc-streams/testing'

// Records to two files, one of them compressed, and replays both twice, their start, a part of them, and a file that does not exist.
const topic = 'svc-0xab'
const folder = mkdtempSync(join(tmpdir(), 'recordings-'))
const files = ['one.ndjson', 'two.ndjson.gz'].map((name) => join(folder, name))
for (const [index, to] of files.entries()) {
  const client = createTestClient({ prices: { [topic]: of(price(topic, index + 1)) } })
  await record(client, { topics: [topic], to }).finished
}

const prices = (client) =>
  lastValueFrom(
    client.run$((inside) =>
      inside.price$(topic).pipe(
        rights(),
        map((each) => each.price),
        toArray(),
      ),
    ),
    { defaultValue: [] },
  )

const client = replay(files[1], { speed: Infinity })
const runs = [await prices(client), await prices(client)]
const both = replay(files, { speed: Infinity })
// A strategy that does not complete keeps the replay running to its end.
await lastValueFrom(
  both.run$(() => NEVER),
  { defaultValue: undefined },
)
const early = replay(files, { speed: Infinity })
await lastValueFrom(early.run$((inside) => inside.price$(topic).pipe(take(1))))
const part = await prices(replay(files, { speed: Infinity, to: 1 }))
const missing = await replay(join(folder, 'missing.ndjson')).finished
console.log(
  JSON.stringify({
    runs,
    rows: (await both.finished).right?.rows,
    early: (await early.finished).right?.rows,
    part,
    missing: missing.left?.message.replace(folder, ''),
  }),
)
rmSync(folder, { recursive: true })
