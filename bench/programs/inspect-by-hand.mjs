// Counts the prices of each topic of a recording, as a user would write it.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const counts = new Map()
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const row = JSON.parse(line)
  if (row._tag === 'Price') counts.set(row.topic, (counts.get(row.topic) ?? 0) + 1)
}
console.log(counts)
