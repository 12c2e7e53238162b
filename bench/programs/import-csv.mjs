// Writes the rows of a recording from a CSV file of times and prices, as a user would write it.
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const [, , reader, source, target, topic] = process.argv

const rowOf = (time, price) => {
  const at = Number(time)
  const right = { topic, price: Number(price), receivedAt: at, epoch: 1 }
  return `${JSON.stringify({ _tag: 'Price', at, topic, event: { _tag: 'Right', right } })}\n`
}

const readers = {
  'by hand': async () => {
    async function* rows() {
      let isHeader = true
      for await (const line of createInterface({ input: createReadStream(source) })) {
        if (!isHeader) yield rowOf(...line.split(','))
        isHeader = false
      }
    }
    await pipeline(rows, createWriteStream(target))
  },
  'fast-csv': async () => {
    const { parseFile } = await import('fast-csv')
    const toRows = new Transform({
      writableObjectMode: true,
      transform: ({ time, price }, _, done) => done(null, rowOf(time, price)),
    })
    await pipeline(parseFile(source, { headers: true }), toRows, createWriteStream(target))
  },
}

await readers[reader]()
